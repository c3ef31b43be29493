// due: 2 of 4
// The first threads add, but words that lie far apart.

extern "C" __global__ void reduce_sequential_f32(float* out, const float* in, int n) {
    __shared__ float sums[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 512 + t;
    sums[t] = (i < n ? in[i] : 0) + (i + 256 < n ? in[i + 256] : 0);
    for (int stride = 1; stride < 256; stride *= 2) {
        __syncthreads();  // the sums of the level before are there
        const int left = 2 * stride * t;
        if (left < 256) {
            sums[left] += sums[left + stride];
        }
    }
    if (t == 0) {
        atomicAdd(out, sums[0]);
    }
}
