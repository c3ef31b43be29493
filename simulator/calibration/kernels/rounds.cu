// Barriers, round trips through shared memory, trees, additions by lanes side by side, naive products: one thing each. Where rows of `forty_more.cu`
// and of the labs were wrong these were measured, on an H200.
//
// requires: sm_80

typedef unsigned int u32;
typedef unsigned long long u64;
#define BENCH(name, A, C) extern "C" __global__ void name(const A* __restrict__ a, const float* __restrict__ b, C* __restrict__ c, int n, int m)
#define TID (blockIdx.x * blockDim.x + threadIdx.x)

// n rounds of a barrier and a sum of the first m threads of each 16.
//: rounds_8w_1b_0 rounds 132 256 256 0 zeros
//: rounds_8w_1b_8 rounds 132 256 256 8 zeros
//: rounds_8w_1b_16 rounds 132 256 256 16 zeros
//: rounds_8w_8b_0 rounds 1056 256 256 0 zeros
//: rounds_8w_8b_8 rounds 1056 256 256 8 zeros
//: rounds_2w_1b_8 rounds 132 64 256 8 zeros
//: rounds_2w_16b_8 rounds 2112 64 256 8 zeros
//: rounds_16w_1b_8 rounds 132 512 256 8 zeros
//: rounds_32w_1b_8 rounds 132 1024 256 8 zeros
//: rounds_32w_2b_8 rounds 264 1024 256 8 zeros
BENCH(rounds, float, float) {
    __shared__ float s[2048];
    int t = threadIdx.x, x = t % 16;
    s[t] = a[t];
#pragma unroll 1
    for (int r = 0; r < n; r++) {
        __syncthreads();
        if (x < m) s[t] += s[t + m];
    }
    __syncthreads();
    c[TID] = s[t];
}
// The same with barriers only.
//: bars_8w_1b bars 132 256 256 0 zeros
//: bars_8w_8b bars 1056 256 256 0 zeros
//: bars_32w_2b bars 264 1024 256 0 zeros
//: bars_2w_16b bars 2112 64 256 0 zeros
BENCH(bars, float, float) {
    float x = a[threadIdx.x];
#pragma unroll 1
    for (int r = 0; r < n; r++) {
        __syncthreads();
        x += 1.f;
    }
    c[TID] = x;
}
// The same without barriers, and one warp: what a round trip through shared memory takes.
//: trips_1w trips 132 32 256 8 zeros
//: trips_8w trips 132 256 256 8 zeros
//: trips_8w_8b trips 1056 256 256 8 zeros
BENCH(trips, float, float) {
    volatile __shared__ float s[2048];
    int t = threadIdx.x, x = t % 16;
    s[t] = a[t];
#pragma unroll 1
    for (int r = 0; r < n; r++) {
        if (x < m) s[t] += s[t + m];
    }
    c[TID] = s[t];
}
// A matrix of n columns, rows by trees in blocks of m lanes of a row.
//: tree_rows_16 tree_rows 4096 256 1024 16 uniform
//: tree_rows_16_few tree_rows 1024 256 1024 16 uniform
//: tree_rows_16_wave tree_rows 132 256 1024 16 uniform
//: tree_rows_4 tree_rows 16384 64 1024 4 uniform
//: tree_rows_64 tree_rows 1024 1024 1024 64 uniform
BENCH(tree_rows, float, float) {
    __shared__ float s[1024];
    int x = threadIdx.x % m, y = threadIdx.x / m, rows = blockDim.x / m;
    long long row = (long long)(blockIdx.x / (n / m)) * rows + y, col = (long long)(blockIdx.x % (n / m)) * m + x;
    s[threadIdx.x] = a[row * n + col] * b[col];
    for (int half = m / 2; half > 0; half /= 2) {
        __syncthreads();
        if (x < half) s[threadIdx.x] += s[threadIdx.x + half];
    }
    if (x == 0) c[row * (n / m) + blockIdx.x % (n / m)] = s[threadIdx.x];
}
// The same without the tree.
//: no_tree_16 no_tree 4096 256 1024 16 uniform
//: no_tree_4 no_tree 16384 64 1024 4 uniform
BENCH(no_tree, float, float) {
    __shared__ float s[1024];
    int x = threadIdx.x % m, y = threadIdx.x / m, rows = blockDim.x / m;
    long long row = (long long)(blockIdx.x / (n / m)) * rows + y, col = (long long)(blockIdx.x % (n / m)) * m + x;
    s[threadIdx.x] = a[row * n + col] * b[col];
    __syncthreads();
    if (x == 0) c[row * (n / m) + blockIdx.x % (n / m)] = s[threadIdx.x];
}
// Each warp adds m lanes, side by side, to the words of its row: n warps behind each other to the same.
//: add_beside_1 add_beside 4096 64 128 1 zeros
//: add_beside_8 add_beside 4096 64 128 8 zeros
//: add_beside_32 add_beside 4096 64 128 32 zeros
//: add_beside_8_wide add_beside 1024 256 128 8 zeros
BENCH(add_beside, float, float) {
    u32 warp = TID / 32, lane = TID % 32;
    if (lane < m) atomicAdd(&c[warp / n * m + lane], b[lane]);
}
// m lanes of each word, as many words as a warp has: n columns of a matrix.
//: add_lanes_4 add_lanes 4096 64 512 4 zeros
//: add_lanes_8 add_lanes 2048 128 512 8 zeros
//: add_lanes_32 add_lanes 512 512 512 32 zeros
//: add_lanes_4_256 add_lanes 1024 64 256 4 zeros
//: add_lanes_32_256 add_lanes 128 512 256 32 zeros
BENCH(add_lanes, float, float) {
    int x = threadIdx.x % m, y = threadIdx.x / m, rows = blockDim.x / m;
    int row = blockIdx.x / (n / m) * rows + y;
    atomicAdd(&c[row], b[x]);
}
// A product of n × n, an element each thread, blocks of 32 × 32 or as wide as they are.
//: plain_256 plain 64 1024 256 5 uniform
//: plain_128 plain 16 1024 128 5 uniform
//: plain_256_small plain 256 256 256 5 uniform
BENCH(plain, float, float) {
    int tiles = n >> m, x = threadIdx.x % 32, y = threadIdx.x / 32;
    int row = blockIdx.x / tiles * (blockDim.x / 32) + y, col = blockIdx.x % tiles * 32 + x;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}
// The same as a lab has it: eight steps of a turn, and 64-bit indices.
//: plain8_256 plain8 64 1024 256 5 uniform
//: plain8_128 plain8 16 1024 128 5 uniform
//: plain8_512 plain8 256 1024 512 5 uniform
//: plain8_256_small plain8 256 256 256 5 uniform
BENCH(plain8, float, float) {
    int tiles = n >> m, x = threadIdx.x % 32, y = threadIdx.x / 32;
    long long row = blockIdx.x / tiles * (blockDim.x / 32) + y, col = blockIdx.x % tiles * 32 + x;
    if (row >= n || col >= n) return;
    const float *u = a + row * n, *v = b + col;
    float sum = 0;
#pragma unroll 8
    for (int p = 0; p < n; ++p) sum += u[p] * v[(long long)p * n];
    c[row * n + col] = sum;
}
// When each warp of the first block begins its turns of eight steps.
//: stamped_256 stamped 64 1024 256 5 uniform
BENCH(stamped, float, int) {
    int tiles = n >> m, x = threadIdx.x % 32, y = threadIdx.x / 32;
    long long row = blockIdx.x / tiles * (blockDim.x / 32) + y, col = blockIdx.x % tiles * 32 + x;
    const float *u = a + row * n, *v = b + col;
    float sum = 0;
    for (int q = 0; q < n; q += 8) {
        if (x == 0 && blockIdx.x == 7) c[1000000 + y * 64 + q / 8] = clock();
#pragma unroll
        for (int p = 0; p < 8; ++p) sum += u[q + p] * v[(long long)(q + p) * n];
    }
    c[row * n + col] = __float_as_int(sum);
}
