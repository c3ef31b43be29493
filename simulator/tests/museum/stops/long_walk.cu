// A grid's stride that is on its way to the end of much data, and does not divide it.
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[32] = iota
// arg: int n = 1000000
// budget: 100000
// finds: budget
extern "C" __global__ void walk(int* out, volatile const int* in, int n) {
    int sum = 0;
    #pragma unroll 1
    for (int i = threadIdx.x; i < n; i += 36) {
        sum += in[i % 32];
    }
    out[threadIdx.x] = sum;
}
