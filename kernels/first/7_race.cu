// out[i] = in[i] + in[i-1] within each block of 256; its first element stays as it is. What is handed out has a race.
//
// Thread t of block b owns the element 256·b + t and reads its left neighbour's, too.
//
// Launch: grid ⌈n/256⌉, block (256).
// Napkin: two reads and one write of shared memory for each element, in place.

extern "C" __global__ void race_f32(float* out, const float* in, int n) {
    __shared__ float tile[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 256 + t;
    tile[t] = i < n ? in[i] : 0;
    __syncthreads();  // the tile is complete
    // TASK: The line below reads tile[t - 1] while thread t - 1 writes it. Find out from the verdict which two threads meet; then let every thread
    // read before any thread writes.
    // BEGIN SOLUTION (starter: if (t > 0) tile[t] += tile[t - 1];)
    const float left = t > 0 ? tile[t - 1] : 0;
    __syncthreads();  // everyone has read
    tile[t] += left;
    // END SOLUTION
    if (i < n) {
        out[i] = tile[t];
    }
}
