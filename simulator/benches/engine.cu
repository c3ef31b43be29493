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

// 64×64 tiles of c, 16×16 threads with 4×4 elements each, 16 apart; n is a multiple of 64.
extern "C" __global__ void gemm_registers(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[64][17], tb[16][64];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 64 + y, col = blockIdx.x * 64 + x;
    float sum[4][4] = {};
    for (int t = 0; t < n; t += 16) {
        for (int i = 0; i < 4; i++) {
            ta[y + 16 * i][x] = a[(row + 16 * i) * n + t + x];
            tb[y][x + 16 * i] = b[(t + y) * n + col + 16 * i];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) sum[i][j] += ta[y + 16 * i][k] * tb[k][x + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) c[(row + 16 * i) * n + col + 16 * j] = sum[i][j];
}

// out[i] = in[index[i]]: one read in order, one anywhere.
extern "C" __global__ void gather(const float *in, const unsigned *index, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * n) out[i] = in[index[i]];
}

// 256 bins of a block in shared memory, then those of all; each thread has 8 numbers.
extern "C" __global__ void histogram(const unsigned *in, unsigned *bins, int n) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = 0; i < 8; i++) atomicAdd(&own[in[(blockIdx.x * 8 + i) * 256 + threadIdx.x] % 256], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// The sum of each warp's numbers by shuffles; each thread has 8.
extern "C" __global__ void warp_sums(const float *in, float *out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    for (int k = 0; k < 8; k++) {
        float sum = in[i * 8 + k];
        for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
        if (threadIdx.x % 32 == 0) out[i / 32 * 8 + k] = sum;
    }
}

// Each thread goes round as often as its number says, and one way or the other: lanes part and meet again.
extern "C" __global__ void divergent(const unsigned *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = in[i], steps = 0;
    while (x > 1 && steps < 64) {
        if (x & 1) x = 3 * x + 1;
        else x /= 2;
        steps++;
    }
    out[i] = steps;
}
