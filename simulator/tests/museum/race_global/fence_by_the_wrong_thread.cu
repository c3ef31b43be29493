// Thread 0 fences and counts, but other warps' writes were never ordered before it: the barrier is missing.
// launch: grid 4 block 64
// arg: int part[256]
// arg: int counter[1] = zeros
// arg: int out[1]
// finds: race
extern "C" __global__ void gather(int* part, int* counter, int* out) {
    int x = threadIdx.x;
    part[blockIdx.x * 64 + x] = x;
    if (x == 0) {
        __threadfence();
        if (atomicAdd(counter, 1) == gridDim.x - 1) {
            int sum = 0;
            for (int i = 0; i < 256; ++i) {
                sum += part[i];
            }
            *out = sum;
        }
    }
}
