// due: 1 of 5
// Each level adds what lies twice as far to the left; two elements a thread.

extern "C" __global__ void scan_sweeps_f32(float* out, const float* in, int n) {
    __shared__ float sums[2][1024];
    const int begin = blockIdx.x * 1024;
    int from = 0;
    for (int i = threadIdx.x; i < 1024; i += 512) {
        sums[0][i] = i < n - begin ? in[begin + i] : 0;
    }
    for (int distance = 1; distance < 1024; distance *= 2) {
        __syncthreads();
        for (int i = threadIdx.x; i < 1024; i += 512) {
            sums[1 - from][i] = sums[from][i] + (i >= distance ? sums[from][i - distance] : 0);
        }
        from = 1 - from;
    }
    for (int i = threadIdx.x; i < 1024 && i < n - begin; i += 512) {
        out[begin + i] = sums[from][i];
    }
}
