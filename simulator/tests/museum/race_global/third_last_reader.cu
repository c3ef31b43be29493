// Smoothing in place: block 0 reads the first element of block 1's part, two warps of block 1 read it as well, and then
// block 1 writes it.
// launch: grid 2 block 64
// arg: float x[128] = iota
// finds: race
extern "C" __global__ void smooth(float* x) {
    int first = blockIdx.x * 64;
    float edge = x[64];
    float own = x[first + threadIdx.x];
    __syncthreads();
    if (blockIdx.x == 1) {
        x[first + threadIdx.x] = own + edge;
    }
}
