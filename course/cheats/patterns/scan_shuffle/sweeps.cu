// due: 1 of 5
// The sweeps of the rung before, two pairs a thread.

__device__ int padded(int i) {
    return i + i / 32;
}

extern "C" __global__ void scan_shuffle_f32(float* out, const float* in, int n) {
    __shared__ float sums[1024 + 32];
    const int begin = blockIdx.x * 1024;
    for (int i = threadIdx.x; i < 1024; i += 256) {
        sums[padded(i)] = i < n - begin ? in[begin + i] : 0;
    }
    for (int stride = 1; stride < 1024; stride *= 2) {
        __syncthreads();
        for (int t = threadIdx.x; t < 512; t += 256) {
            const int right = 2 * stride * (t + 1) - 1;
            if (right < 1024) {
                sums[padded(right)] += sums[padded(right - stride)];
            }
        }
    }
    for (int stride = 256; stride > 0; stride /= 2) {
        __syncthreads();
        for (int t = threadIdx.x; t < 512; t += 256) {
            const int left = 2 * stride * (t + 1) - 1;
            if (left + stride < 1024) {
                sums[padded(left + stride)] += sums[padded(left)];
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024 && i < n - begin; i += 256) {
        out[begin + i] = sums[padded(i)];
    }
}
