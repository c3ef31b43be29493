// The last five levels are shuffles of the first warp.

extern "C" __global__ void reduce_sequential_f32(float* out, const float* in, int n) {
    __shared__ float sums[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 512 + t;
    sums[t] = (i < n ? in[i] : 0) + (i + 256 < n ? in[i + 256] : 0);
    for (int half = 128; half >= 32; half /= 2) {
        __syncthreads();  // the sums of the level before are there
        if (t < half) {
            sums[t] += sums[t + half];
        }
    }
    if (t < 32) {
        float sum = sums[t];
        for (int distance = 16; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, distance);
        }
        if (t == 0) {
            atomicAdd(out, sum);
        }
    }
}
