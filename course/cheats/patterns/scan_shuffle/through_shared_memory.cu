// due: 3 of 5
// All threads leave their sums in shared memory, where each adds up those before it in its warp.

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
    __shared__ float of_thread[256];
    of_thread[threadIdx.x] = sums.w;
    __syncwarp();
    float through = sums.w;
    for (int other = 0; other < lane; other++) {
        through += of_thread[32 * warp + other];
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
