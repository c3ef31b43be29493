// Every lane of the warp takes the lock once.
// launch: grid 2 block 32
// arg: int lock[1] = zeros
// arg: int sum[1] = zeros
extern "C" __global__ void add(int* lock, int* sum) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *(volatile int*)sum = *(volatile int*)sum + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
