// A spin lock that fences before it lets go, and not behind taking it.
// launch: grid 4 block 1
// arg: int lock[1] = zeros
// arg: int sum[1] = zeros
// finds: race
extern "C" __global__ void add(int* lock, int* sum) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *sum = *sum + 1 + blockIdx.x;
    __threadfence();
    atomicExch(lock, 0);
}
