// The stencil's right neighbour is not checked.
// launch: grid 1 block 64
// arg: float out[64]
// arg: float in[64] = iota
// finds: out of bounds
extern "C" __global__ void smooth(float* out, const float* in) {
    int i = threadIdx.x;
    float left = i > 0 ? in[i - 1] : 0;
    out[i] = (left + in[i] + in[i + 1]) / 3;
}
