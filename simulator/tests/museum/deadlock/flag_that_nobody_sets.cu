// A thread waits for a flag that no thread will set.
// launch: grid 1 block 32
// arg: int flag[1] = zeros
// finds: deadlock
extern "C" __global__ void wait(volatile int* flag) {
    if (threadIdx.x == 0) {
        while (*flag == 0) {
        }
    }
}
