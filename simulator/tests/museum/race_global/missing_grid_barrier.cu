// A cooperative kernel reads other blocks' results without waiting for them.
// launch: cooperative grid 4 block 32
// arg: int out[4]
// arg: int part[4]
// finds: race
extern "C" __global__ void exchange(int* out, int* part) {
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        out[blockIdx.x] = blockIdx.x > 0 ? part[blockIdx.x - 1] : 0;
    }
}
