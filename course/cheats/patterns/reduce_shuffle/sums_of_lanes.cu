// due: 2 of 4
// All threads leave their sums in shared memory, where lane 0 of each warp adds those of its warp.

extern "C" __global__ void reduce_shuffle_f32(float* out, const float* in, int n) {
    __shared__ float sums[8];
    __shared__ float of_thread[256];
    const int i = blockIdx.x * 512 + threadIdx.x;
    float sum = (i < n ? in[i] : 0) + (i + 256 < n ? in[i + 256] : 0);
    of_thread[threadIdx.x] = sum;
    __syncwarp();
    for (int lane = 1; threadIdx.x % 32 == 0 && lane < 32; lane++) {
        sum += of_thread[threadIdx.x + lane];
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
}
