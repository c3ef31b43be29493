// The left neighbour of element 0.
// launch: grid 1 block 32
// arg: float out[32]
// arg: float in[32] = iota
// finds: out of bounds
extern "C" __global__ void difference(float* out, const float* in) {
    int i = threadIdx.x;
    out[i] = in[i] - in[i - 1];
}
