// out[b] = the sum of block b's 256 elements: shuffles within the warps, shared memory between them.
//
// Lane 0 of each of the 8 warps leaves its warp's sum in shared memory; one thread adds the eight.
//
// Launch: grid ⌈n/256⌉, block (256).
// Napkin: 8 words of shared memory and one barrier, where the tree of `barrier` takes 256 words and 8 barriers.

extern "C" __global__ void block_sum_f32(float* out, const float* in, int n) {
    __shared__ float sums[8];
    const int i = blockIdx.x * 256 + threadIdx.x;
    float sum = i < n ? in[i] : 0;
    // TASK: Sum within the warp as in `shuffle`; lane 0 stores it in sums[its warp]. After one barrier thread 0 adds the eight sums and writes
    // out[blockIdx.x].
    // BEGIN SOLUTION
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();  // the sums of all warps are there
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; warp++) {
            sum += sums[warp];
        }
        out[blockIdx.x] = sum;
    }
    // END SOLUTION
}
