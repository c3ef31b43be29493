// due: 1 of 5
// Each thread has a counter for each digit, as in the rung before.

__device__ int digit_of(float key) {
    return __float_as_uint(key) >> 8 & 15;
}

extern "C" __global__ void sort_ranks_f32(float* out, const float* in, int n) {
    __shared__ unsigned counts[16 * 256];
    __shared__ float sorted[1024];
    __shared__ unsigned of_warp[8];
    const int t = threadIdx.x;
    const int begin = blockIdx.x * 1024;
    const int count = min(1024, n - begin);
    const int own = min(4, count - 4 * t);
    float keys[4];
    for (int digit = 0; digit < 16; digit++) {
        counts[256 * digit + t] = 0;
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (k < own) {
            keys[k] = in[begin + 4 * t + k];
            counts[256 * digit_of(keys[k]) + t]++;
        }
    }
    __syncthreads();  // all is counted
    // Thread t makes the prefix sums of the 16 counters from 16·t on; then those of the threads' sums.
    unsigned sum = 0;
    for (int k = 0; k < 16; k++) {
        const unsigned counted = counts[16 * t + k];
        counts[16 * t + k] = sum;
        sum += counted;
    }
    unsigned through = sum;
    for (int distance = 1; distance < 32; distance *= 2) {
        const unsigned left = __shfl_up_sync(0xffffffff, through, distance);
        if (t % 32 >= distance) {
            through += left;
        }
    }
    if (t % 32 == 31) {
        of_warp[t / 32] = through;
    }
    __syncthreads();  // the sums of all warps are there
    unsigned before = through - sum;
    for (int warp = 0; warp < t / 32; warp++) {
        before += of_warp[warp];
    }
    for (int k = 0; k < 16; k++) {
        counts[16 * t + k] += before;
    }
    __syncthreads();  // the counters are places
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (k < own) {
            sorted[counts[256 * digit_of(keys[k]) + t]++] = keys[k];
        }
    }
    __syncthreads();  // the keys stand in their places
    for (int i = t; i < count; i += 256) {
        out[begin + i] = sorted[i];
    }
}
