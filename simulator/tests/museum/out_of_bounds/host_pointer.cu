// A pointer to the host's own memory.
// launch: grid 1 block 32
// arg: float* data = host
// finds: bad pointer
extern "C" __global__ void fill(float* data) {
    data[threadIdx.x] = 1;
}
