// One block counts with atomics, the other with volatile accesses: an addition may come between its two steps.
// launch: grid 2 block 1
// arg: int counter[1] = zeros
// finds: race
extern "C" __global__ void count(int* counter) {
    if (blockIdx.x == 0) {
        atomicAdd(counter, 1);
    } else {
        volatile int* own = counter;
        *own += 1;
    }
}
