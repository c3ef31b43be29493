// A lock with fences: each block adds in turn.
// launch: grid 6 block 32
// arg: int lock[1] = zeros
// arg: int sum[1] = zeros
extern "C" __global__ void add(int* lock, int* sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        *sum = *sum + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}
