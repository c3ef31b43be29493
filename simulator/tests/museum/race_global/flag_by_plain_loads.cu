// A flag that the other block sets: __threadfence() makes each round load it, and neither the load nor the store is strong.
// launch: grid 2 block 32
// arg: int flag[1] = zeros
// arg: int out[32]
// budget: 200000
// finds: race
extern "C" __global__ void wait(int* flag, int* out) {
    if (blockIdx.x == 0) {
        while (!*flag) {
            __threadfence();
        }
        out[threadIdx.x] = 1;
    } else if (threadIdx.x == 0) {
        *flag = 1;
    }
}
