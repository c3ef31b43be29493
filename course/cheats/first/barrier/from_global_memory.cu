// due: 0 of 2
// One thread adds what it reads from global memory; the barriers are idle.

extern "C" __global__ void barrier_f32(float* out, const float* in, int n) {
    __shared__ float sums[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 256 + t;
    sums[t] = i < n ? in[i] : 0;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
    }
    if (t == 0) {
        float sum = sums[0];
        for (int other = i + 1; other < min(n, i + 256); other++) {
            sum += in[other];
        }
        out[blockIdx.x] = sum;
    }
}
