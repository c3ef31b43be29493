// out[i] = in[i]², an element for each thread.
//
// Thread t of block b owns the element T·b + t, T the threads of a block: 0 … T-1 are block 0's, T … 2T-1 block 1's, and so on.
//
// Launch: as many threads as there are elements, so that none is left over.
// Napkin: 8·n bytes for n multiplications. The way to memory is all that takes time.

extern "C" __global__ void map_f32(float* out, const float* in, int n) {
    // TASK: Work out the number of this thread, counted through all blocks, and square the element of that number.
    // threadIdx.x is its number in the block, blockIdx.x the block's number, blockDim.x the threads of a block.
    // BEGIN SOLUTION
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * in[i];
    // END SOLUTION
}
