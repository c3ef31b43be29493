// Each thread counts for itself, volatile because somebody may be watching.
// launch: grid 2 block 32
// arg: int c[64] = zeros
// arg: int seen[1] = zeros
extern "C" __global__ void count(volatile int* c, volatile int* seen) {
    int i = blockIdx.x * 32 + threadIdx.x;
    c[i] = c[i] + 1;
    c[i] = c[i] + 1;
    *seen = 1;
}
