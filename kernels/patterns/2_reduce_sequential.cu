// out[0] = the sum of n elements, as a tree in each block whose working threads are neighbours; two elements for each thread.
//
// Thread t of block b owns the elements 512·b + t and 512·b + 256 + t, whose sum is what it brings to the tree. In the level of `half`, the threads
// below `half` add the sum that lies `half` places on. Then each block adds its sum to out[0], which is zero before the launch.
//
// Launch: grid ⌈n/512⌉, block (256).
// Napkin: in the level of 128, four warps work with all lanes and four not at all. Only the last five levels split a warp, and only one. A tree of as many
// levels serves twice as many elements.

extern "C" __global__ void reduce_sequential_f32(float* out, const float* in, int n) {
    // TASK: Each thread adds its two elements, as far as they are there, and stores the sum. Then the tree of `reduce_interleaved` with other threads: in
    // the level of half = 128, 64, … 1 the threads below `half` add. The threads that work are neighbours then, and so are the words that they read.
    // BEGIN SOLUTION
    __shared__ float sums[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 512 + t;
    sums[t] = (i < n ? in[i] : 0) + (i + 256 < n ? in[i + 256] : 0);
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();  // the sums of the level before are there
        if (t < half) {
            sums[t] += sums[t + half];
        }
    }
    if (t == 0) {
        atomicAdd(out, sums[0]);
    }
    // END SOLUTION
}
