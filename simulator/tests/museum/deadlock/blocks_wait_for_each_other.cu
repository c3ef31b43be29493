// Each block waits for the other's flag before it sets its own.
// launch: grid 2 block 32
// arg: int flags[2] = zeros
// finds: deadlock
extern "C" __global__ void wait(volatile int* flags) {
    if (threadIdx.x == 0) {
        while (flags[1 - blockIdx.x] == 0) {
        }
        flags[blockIdx.x] = 1;
    }
}
