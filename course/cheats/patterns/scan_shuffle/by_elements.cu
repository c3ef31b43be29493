// due: 3 of 5
// Four loads and four stores of 4 bytes for each thread.

// Four elements from i on; beyond n they are 0.
__device__ float4 load(const float* in, int i, int n) {
    return make_float4(
        i < n ? in[i] : 0, i < n - 1 ? in[i + 1] : 0, i < n - 2 ? in[i + 2] : 0, i < n - 3 ? in[i + 3] : 0);
}

// Writes those of the four that lie before n.
__device__ void store(float* out, int i, int n, float4 values) {
    const float each[4] = {values.x, values.y, values.z, values.w};
    for (int k = 0; k < 4 && i < n - k; k++) {
        out[i + k] = each[k];
    }
}

extern "C" __global__ void scan_shuffle_f32(float* out, const float* in, int n) {
    __shared__ float of_warp[8];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int i = blockIdx.x * 1024 + 4 * threadIdx.x;
    float4 sums = load(in, i, n);
    sums.y += sums.x;
    sums.z += sums.y;
    sums.w += sums.z;
    float through = sums.w;  // the sum of the threads up to this one, in the warp
    for (int distance = 1; distance < 32; distance *= 2) {
        const float left = __shfl_up_sync(0xffffffff, through, distance);
        if (lane >= distance) {
            through += left;
        }
    }
    if (lane == 31) {
        of_warp[warp] = through;
    }
    __syncthreads();  // the sums of all warps are there
    float before = __shfl_up_sync(0xffffffff, through, 1);
    if (lane == 0) {
        before = 0;
    }
    for (int other = 0; other < warp; other++) {
        before += of_warp[other];
    }
    store(out, i, n, make_float4(before + sums.x, before + sums.y, before + sums.z, before + sums.w));
}
