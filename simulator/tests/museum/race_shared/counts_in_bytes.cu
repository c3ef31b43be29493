// Two threads count in each byte, each reads before the other has written.
// launch: grid 1 block 32
// arg: int out[32]
// finds: race
extern "C" __global__ void pairs(int* out) {
    __shared__ unsigned char counts[32];
    const int x = threadIdx.x;
    counts[x] = 0;
    __syncthreads();
    counts[x / 2] += 1;
    __syncthreads();
    out[x] = counts[x];
}
