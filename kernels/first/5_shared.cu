// Each block turns its 256 elements around: the first becomes the last. Of the last block, as many as there are.
//
// Thread t of block b brings in the element 256·b + t and takes out another thread's. A block's threads meet in shared memory.
//
// Launch: grid ⌈n/256⌉, block (256).
// Napkin: 1 KiB of shared memory for each block; each element goes into it once and comes out once.

extern "C" __global__ void shared_f32(float* out, const float* in, int n) {
    const int t = threadIdx.x;
    const int begin = blockIdx.x * 256;
    const int count = min(256, n - begin);
    // TASK: Declare an array of 256 floats in shared memory. Thread t, if t < count, stores in[begin + t] there. After a barrier it writes
    // to out[begin + t] what thread count - 1 - t has stored.
    // BEGIN SOLUTION
    __shared__ float tile[256];
    if (t < count) {
        tile[t] = in[begin + t];
    }
    __syncthreads();  // the tile is complete
    if (t < count) {
        out[begin + t] = tile[count - 1 - t];
    }
    // END SOLUTION
}
