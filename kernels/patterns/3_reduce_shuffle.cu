// out[0] = the sum of n elements: the lanes of a warp hand their sums on in registers, and only the warps meet in shared memory.
//
// Thread t of block b owns the elements 512·b + t and 512·b + 256 + t. Five shuffles leave the sum of a warp in its lane 0, and eight words of shared memory
// take those of the warps. Then each block adds its sum to out[0], which is zero before the launch.
//
// Launch: grid ⌈n/512⌉, block (256).
// Napkin: one barrier and 8 words of shared memory, where the tree of `reduce_sequential` takes 8 barriers and 256 words.

extern "C" __global__ void reduce_shuffle_f32(float* out, const float* in, int n) {
    // TASK: Each thread adds its two elements, as far as they are there. Five shuffles add up the warp's sums; lane 0 stores its warp's; after one barrier
    // thread 0 adds the eight and adds their sum to out[0].
    // BEGIN SOLUTION
    __shared__ float sums[8];
    const int i = blockIdx.x * 512 + threadIdx.x;
    float sum = (i < n ? in[i] : 0) + (i + 256 < n ? in[i + 256] : 0);
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
        atomicAdd(out, sum);
    }
    // END SOLUTION
}
