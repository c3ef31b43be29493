// due: 0 of 2
// The whole tree stands in shared memory.

extern "C" __global__ void block_sum_f32(float* out, const float* in, int n) {
    __shared__ float sums[8];
    const int i = blockIdx.x * 256 + threadIdx.x;
    float sum = i < n ? in[i] : 0;
    __shared__ float all[256];
    all[threadIdx.x] = sum;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            all[threadIdx.x] += all[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = all[0];
    }
}
