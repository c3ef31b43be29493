// What an exchange takes out of memory that was never written decides a branch.
// launch: grid 1 block 32
// arg: int out[32] = zeros
// arg: int lock[32]
// finds: uninitialised
extern "C" __global__ void take(int* out, int* lock) {
    if (atomicExch(&lock[threadIdx.x], 1) == 0) {
        out[threadIdx.x] = 1;
    }
}
