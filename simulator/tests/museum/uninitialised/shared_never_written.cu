// Shared memory does not start at zero.
// launch: grid 1 block 32
// arg: int out[32]
// finds: uninitialised
extern "C" __global__ void first(int* out) {
    __shared__ int data[64];
    if (threadIdx.x > 40) {
        data[threadIdx.x] = 1;
    }
    out[threadIdx.x] = data[threadIdx.x + 8];
}
