// out[0] = the sum of n elements, as a tree in each block whose working threads lie further and further apart.
//
// Thread t of block b owns the element 256·b + t. In the level of `stride`, each thread that is a multiple of 2·stride adds the sum that lies
// `stride` places on to its own. Then each block adds its sum to out[0], which is zero before the launch.
//
// Launch: grid ⌈n/256⌉, block (256).
// Napkin: 4·n bytes for n additions: the memory should be the limit. In the first level all 8 warps work with half of their lanes, in the
// fifth with one lane each.

extern "C" __global__ void reduce_interleaved_f32(float* out, const float* in, int n) {
    __shared__ float sums[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 256 + t;
    sums[t] = i < n ? in[i] : 0;
    for (int stride = 1; stride < 256; stride *= 2) {
        __syncthreads();  // the sums of the level before are there
        if (t % (2 * stride) == 0) {
            sums[t] += sums[t + stride];
        }
    }
    if (t == 0) {
        atomicAdd(out, sums[0]);
    }
}
