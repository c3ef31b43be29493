// The first thread reads its left neighbour in front of dynamic memory, where a static array ends.
// launch: grid 1 block 32 shared 128
// arg: int out[32]
// finds: out of bounds
extern "C" __global__ void left(int* out) {
    extern __shared__ int row[];
    __shared__ int scale[32];
    const int x = threadIdx.x;
    scale[x] = x;
    row[x] = x;
    __syncthreads();
    out[x] = row[x - 1] * scale[31 - x];
}
