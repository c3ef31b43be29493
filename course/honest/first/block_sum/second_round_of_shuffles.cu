// The eight sums go through shuffles of the first warp.

extern "C" __global__ void block_sum_f32(float* out, const float* in, int n) {
    __shared__ float sums[8];
    const int i = blockIdx.x * 256 + threadIdx.x;
    float sum = i < n ? in[i] : 0;
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < 8 ? sums[threadIdx.x] : 0;
        for (int distance = 4; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, distance);
        }
        if (threadIdx.x == 0) {
            out[blockIdx.x] = sum;
        }
    }
}
