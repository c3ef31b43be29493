// One block counts with atomics, another with ++.
// launch: grid 2 block 1
// arg: int counter[1] = zeros
// finds: race
extern "C" __global__ void count(int* counter) {
    if (blockIdx.x == 0) {
        atomicAdd(counter, 1);
    } else {
        ++*counter;
    }
}
