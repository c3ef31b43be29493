// The kernels of the engine's benchmark; engine.ptx.z is what NVRTC 12.9 makes of them for compute_75.
//   nvrtc --gpu-architecture=compute_75 --generate-line-info

// One thread, one element of c; every operand comes from global memory. n³ multiply-adds.
extern "C" __global__ void gemm_naive(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        float sum = 0;
        for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
        c[row * n + col] = sum;
    }
}

// The same through 32×32 tiles in shared memory.
extern "C" __global__ void gemm_tiled(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[32][32], tb[32][32];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
    float sum = 0;
    for (int t = 0; t < (n + 31) / 32; t++) {
        ta[y][x] = row < n && t * 32 + x < n ? a[row * n + t * 32 + x] : 0;
        tb[y][x] = col < n && t * 32 + y < n ? b[(t * 32 + y) * n + col] : 0;
        __syncthreads();
        for (int k = 0; k < 32; k++) sum += ta[y][k] * tb[k][x];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}

// 32×32 tiles with a padded row; 32×8 threads.
extern "C" __global__ void transpose_padded(const float *in, float *out, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (x < n && y + i < n) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (x < n && y + i < n) out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}
