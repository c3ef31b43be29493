// The grid is rounded up, and no thread asks whether it has an element.
// launch: grid 4 block 32
// arg: float out[100]
// arg: float in[100] = iota
// finds: out of bounds
extern "C" __global__ void scale(float* out, const float* in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * in[i];
}
