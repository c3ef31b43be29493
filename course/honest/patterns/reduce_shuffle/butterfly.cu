// All lanes get the sum of the warp, and the first warp adds the eight by shuffles.

extern "C" __global__ void reduce_shuffle_f32(float* out, const float* in, int n) {
    __shared__ float sums[8];
    const int i = blockIdx.x * 512 + threadIdx.x;
    float sum = (i < n ? in[i] : 0) + (i + 256 < n ? in[i + 256] : 0);
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();  // the sums of all warps are there
    if (threadIdx.x < 32) {
        sum = threadIdx.x < 8 ? sums[threadIdx.x] : 0;
        for (int distance = 4; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, distance);
        }
        if (threadIdx.x == 0) {
            atomicAdd(out, sum);
        }
    }
}
