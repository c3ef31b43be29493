// due: 3 of 5
// No word is left out.

__device__ int padded(int i) {
    return i;
}

extern "C" __global__ void scan_sweeps_f32(float* out, const float* in, int n) {
    __shared__ float sums[1024 + 32];
    const int t = threadIdx.x;
    const int begin = blockIdx.x * 1024;
    for (int i = t; i < 1024; i += 512) {
        sums[padded(i)] = i < n - begin ? in[begin + i] : 0;
    }
    for (int stride = 1; stride < 1024; stride *= 2) {
        __syncthreads();  // the level before is complete
        const int right = 2 * stride * (t + 1) - 1;
        if (right < 1024) {
            sums[padded(right)] += sums[padded(right - stride)];
        }
    }
    for (int stride = 256; stride > 0; stride /= 2) {
        __syncthreads();  // the larger sums are handed on
        const int left = 2 * stride * (t + 1) - 1;
        if (left + stride < 1024) {
            sums[padded(left + stride)] += sums[padded(left)];
        }
    }
    __syncthreads();  // all sums are complete
    for (int i = t; i < 1024 && i < n - begin; i += 512) {
        out[begin + i] = sums[padded(i)];
    }
}
