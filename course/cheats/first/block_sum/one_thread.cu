// due: 0 of 2
// One thread of each block adds what it reads itself.

extern "C" __global__ void block_sum_f32(float* out, const float* in, int n) {
    __shared__ float sums[8];
    const int i = blockIdx.x * 256 + threadIdx.x;
    float sum = i < n ? in[i] : 0;
    if (threadIdx.x == 0) {
        for (int k = i + 1; k < min(n, i + 256); k++) {
            sum += in[k];
        }
        sums[0] = sum;
        out[blockIdx.x] = sums[0];
    }
}
