// A thread waits for a lock that it holds itself.
// launch: grid 1 block 1
// arg: int lock[1] = zeros
// finds: deadlock
extern "C" __global__ void twice(int* lock) {
    for (int i = 0; i < 2; ++i) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
    }
    atomicExch(lock, 0);
}
