// due: 0 of 4
// The whole tree stands in shared memory.

extern "C" __global__ void reduce_shuffle_f32(float* out, const float* in, int n) {
    __shared__ float sums[256];
    const int i = blockIdx.x * 512 + threadIdx.x;
    float sum = (i < n ? in[i] : 0) + (i + 256 < n ? in[i + 256] : 0);
    sums[threadIdx.x] = sum;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        atomicAdd(out, sums[0]);
    }
}
