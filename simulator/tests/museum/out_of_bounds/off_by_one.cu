// `<=` lets one thread too many through.
// launch: grid 4 block 32
// arg: float out[128]
// arg: float in[100] = iota
// arg: int n = 100
// finds: out of bounds
extern "C" __global__ void scale(float* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) {
        out[i] = 2 * in[i];
    }
}
