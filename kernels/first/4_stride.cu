// out[i] = 2·in[i] by a grid that is smaller than the data: a grid-stride loop.
//
// With N threads in the grid, thread k of them owns the elements k, k + N, k + 2N, … below n.
//
// Launch: grid (96), block (128), whatever n is. gridDim.x is the number of blocks.
// Napkin: N = 12288. In each turn the grid covers N neighbours; a warp's share of them is 32 neighbours, 4 sectors.

extern "C" __global__ void stride_f32(float* out, const float* in, int n) {
    // TASK: Begin at the thread's own number; go on in steps as wide as the grid has threads.
    // BEGIN SOLUTION
    const int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        out[i] = 2 * in[i];
    }
    // END SOLUTION
}
