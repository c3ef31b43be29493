// out[b] = the sum of block b's 256 elements, as a tree in shared memory.
//
// In the level of `half`, thread t < half adds the partial sum of thread t + half to its own: 128 sums are left, then 64, … then one.
//
// Launch: grid ⌈n/256⌉, block (256).
// Napkin: 255 additions in 8 levels. One thread alone would take 255 steps.

extern "C" __global__ void barrier_f32(float* out, const float* in, int n) {
    __shared__ float sums[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 256 + t;
    sums[t] = i < n ? in[i] : 0;
    // TASK: The levels half = 128, 64, … 1. A level reads what others wrote in the one before: all 256 threads must meet at a barrier before it,
    // those too that have nothing to add. Then thread 0 writes the sum to out[blockIdx.x].
    // BEGIN SOLUTION
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();  // the sums of the level before are there
        if (t < half) {
            sums[t] += sums[t + half];
        }
    }
    if (t == 0) {
        out[blockIdx.x] = sums[0];
    }
    // END SOLUTION
}
