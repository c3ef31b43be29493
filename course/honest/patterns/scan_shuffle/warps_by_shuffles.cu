// Every warp scans the eight sums of the warps by shuffles.

// Four elements from i on; beyond n they are 0.
__device__ float4 load(const float* in, int i, int n) {
    if (i <= n - 4) {
        return *reinterpret_cast<const float4*>(in + i);
    }
    return make_float4(i < n ? in[i] : 0, i + 1 < n ? in[i + 1] : 0, i + 2 < n ? in[i + 2] : 0, 0);
}

// Writes those of the four that lie before n.
__device__ void store(float* out, int i, int n, float4 values) {
    if (i <= n - 4) {
        *reinterpret_cast<float4*>(out + i) = values;
        return;
    }
    const float each[3] = {values.x, values.y, values.z};
    for (int k = 0; k < 3 && i + k < n; k++) {
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
    float of_warps = lane < 8 ? of_warp[lane] : 0;
    for (int distance = 1; distance < 8; distance *= 2) {
        const float left = __shfl_up_sync(0xffffffff, of_warps, distance);
        of_warps += lane >= distance ? left : 0;
    }
    const float others = __shfl_sync(0xffffffff, of_warps, warp > 0 ? warp - 1 : 0);
    before += warp > 0 ? others : 0;
    store(out, i, n, make_float4(before + sums.x, before + sums.y, before + sums.z, before + sums.w));
}
