// due: 3 of 5
// The loads are of 4 bytes.

__device__ int bin_of(float x) {
    return min(int(x * x * 256), 255);
}

extern "C" __global__ void histogram_banks_f32(float* out, const float* in, int n) {
    __shared__ unsigned counts[256][32];
    const int lane = threadIdx.x % 32;
    const int threads = gridDim.x * 1024;
    const int thread = blockIdx.x * 1024 + threadIdx.x;
    for (int bin = threadIdx.x / 32; bin < 256; bin += 32) {
        counts[bin][lane] = 0;
    }
    __syncthreads();  // all counters are zero
    for (int i = thread; i < n; i += threads) {
        atomicAdd(&counts[bin_of(in[i])][lane], 1);
    }
    __syncthreads();  // all is counted
    if (threadIdx.x < 256) {
        unsigned sum = 0;
        for (int other = 0; other < 32; other++) {
            sum += counts[threadIdx.x][(lane + other) % 32];
        }
        if (sum > 0) {
            atomicAdd(&out[threadIdx.x], float(sum));
        }
    }
}
