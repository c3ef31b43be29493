// The barrier stands at the end of each level.

extern "C" __global__ void barrier_f32(float* out, const float* in, int n) {
    __shared__ float sums[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 256 + t;
    sums[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) {
            sums[t] += sums[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = sums[0];
    }
}
