// A sum whose index is never advanced.
// launch: grid 1 block 32
// arg: float out[32] = zeros
// arg: float in[320] = iota
// arg: int n = 10
// budget: 100000
// finds: budget
extern "C" __global__ void forgotten(volatile float* out, const float* in, int n) {
    int p = 0;
    while (p < n) {
        out[threadIdx.x] += in[p * 32 + threadIdx.x];
    }
}
