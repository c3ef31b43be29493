// Two warps leave their sums, and four are read. The two behind the end lie in memory that the block has nevertheless, since a card gives
// shared memory in whole units: it goes on with what is there.
// launch: grid 1 block 64
// arg: float out[4]
// finds: out of bounds
extern "C" __global__ void sums(float* out) {
    __shared__ float of_warp[2];
    float sum = threadIdx.x;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 4) out[threadIdx.x] = of_warp[threadIdx.x];
}
