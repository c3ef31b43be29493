// Kernels of the kinds that programs are made of, on which the clock is judged. Nobody who works on the clock reads this file or what
// was measured of it: what is wrong here may be mended by a mechanism that `calibration.cu` or `programs.cu` show, and by nothing else.
//
// Rows and parameters are as in `calibration.cu`.
//
// requires: sm_80
typedef unsigned int uint;
typedef unsigned char byte;
typedef unsigned long long ull;
#define PARAMETERS(A, B, C) (const A* __restrict__ a, const B* __restrict__ b, C* c, int n, int m)
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define T threadIdx.x
#define LANE (threadIdx.x % 32)
#define THREADS (gridDim.x * blockDim.x)
#define EVERY 0xffffffffu

// --- Streams of memory -----------------------------------------------------------------------------------------------------------
//: triad_f64 triad 8192 256 2097152 0 zeros
extern "C" __global__ void triad PARAMETERS(double, double, double) {
    if (I < n) c[I] = a[I] * 3.0 + b[I];
}
//: fill_by_one_wave fill 528 256 8388608 0 zeros
extern "C" __global__ void fill PARAMETERS(uint, float, uint) {
    for (uint i = I; i < n; i += THREADS) c[i] = i ^ m;
}
// Records of three floats into three arrays.
//: split_records split_records 4096 256 1048576 0 uniform
extern "C" __global__ void split_records PARAMETERS(float, float, float) {
    c[I] = a[3 * I];
    c[I + n] = a[3 * I + 1];
    c[I + 2 * n] = a[3 * I + 2];
}
// One field of records of 32 bytes.
//: one_field one_field 4096 256 8 0 uniform
extern "C" __global__ void one_field PARAMETERS(float, float, float) { c[I] = a[I * n + 3]; }
//: reversed reversed 8192 256 2097152 0 uniform
extern "C" __global__ void reversed PARAMETERS(float, float, float) { c[I] = a[n - 1 - I]; }
//: bytes_scaled bytes_scaled 2048 256 2097152 0 below 1000000
extern "C" __global__ void bytes_scaled PARAMETERS(byte, float, byte) {
    for (int k = 0; k < 4; k++) c[I + k * THREADS] = a[I + k * THREADS] * 5 >> 2;
}
// Rows of an embedding: a warp copies a row of 128 floats that an index names.
//: embedding embedding 4096 256 0 0 below 65536
extern "C" __global__ void embedding PARAMETERS(uint, float4, float4) {
    uint row = a[I / 32];
    c[I] = b[row * 32 + LANE];
}
//: pool_2x2 pool_2x2 4096 256 1024 0 uniform
extern "C" __global__ void pool_2x2 PARAMETERS(float, float, float) {
    uint x = I % n * 2, y = I / n * 2, at = y * 2 * n + x;
    c[I] = fmaxf(fmaxf(a[at], a[at + 1]), fmaxf(a[at + 2 * n], a[at + 2 * n + 1]));
}
//: channels channels 16384 256 4096 0 uniform
extern "C" __global__ void channels PARAMETERS(float, float, float) {
    uint channel = I / n % 64;
    c[I] = (a[I] - b[channel]) * b[channel + 64] + b[channel + 128];
}
//: gelu gelu 4096 256 0 0 uniform
extern "C" __global__ void gelu PARAMETERS(float4, float, float4) {
    float4 v = a[I];
    float* x = (float*)&v;
#pragma unroll
    for (int k = 0; k < 4; k++) x[k] = 0.5f * x[k] * (1 + tanhf(0.79788456f * (x[k] + 0.044715f * x[k] * x[k] * x[k])));
    c[I] = v;
}

// --- Indices and chains ----------------------------------------------------------------------------------------------------------
//: gather_far gather_4 4096 256 0 0 below 16777216
//: gather_near gather_4 4096 256 0 0 below 262144
extern "C" __global__ void gather_4 PARAMETERS(uint, float, float) {
    uint4 at = ((const uint4*)a)[I];
    c[I] = b[at.x] + b[at.y] + b[at.z] + b[at.w];
}
// Where a value would stand among n sorted numbers.
//: find_places find_places 2048 256 1048576 0 below 1048576
extern "C" __global__ void find_places PARAMETERS(uint, float, uint) {
    uint key = a[I], low = 0, high = n;
    while (low < high) {
        uint middle = (low + high) / 2;
        if ((uint)(middle + (b[middle] > 2.0f)) < key) low = middle + 1;
        else high = middle;
    }
    c[I] = low;
}
//: chase_in_block chase_in_block 132 256 2000 0 below 4096
extern "C" __global__ void chase_in_block PARAMETERS(uint, float, uint) {
    __shared__ uint s[4096];
    for (int i = T; i < 4096; i += 256) s[i] = a[i];
    __syncthreads();
    uint at = T;
    for (int i = 0; i < n; i++) at = s[at];
    c[I] = at;
}
//: chase_four chase_four 16 64 512 0 chase 33554432 128
extern "C" __global__ void chase_four PARAMETERS(uint, float, uint) {
    uint at = I * 32;
    for (int i = 0; i < n; i++) at = a[at];
    c[I] = at;
}
//: divide_chain divide_chain 264 128 64 0 uniform
extern "C" __global__ void divide_chain PARAMETERS(float, float, float) {
    float x = a[I] + 1;
    for (int i = 0; i < n; i++) x = 2.5f / (x + 0.25f);
    c[I] = x;
}
//: newton_f64 newton_f64 264 128 16 0 zeros
extern "C" __global__ void newton_f64 PARAMETERS(double, double, double) {
    double x = 1 + I * 1e-6, y = x;
    for (int i = 0; i < n; i++) y = 0.5 * (y + x / y);
    c[I] = y;
}

// --- Reductions and scans ----------------------------------------------------------------------------------------------------------
//: largest_of_all largest_of_all 264 512 8388608 0 below 1000000
extern "C" __global__ void largest_of_all PARAMETERS(uint, float, uint) {
    uint most = 0;
    for (uint i = I; i < n / 4; i += THREADS) {
        uint4 v = ((const uint4*)a)[i];
        most = max(max(most, max(v.x, v.y)), max(v.z, v.w));
    }
    most = __reduce_max_sync(EVERY, most);
    if (LANE == 0) atomicMax(c, most);
}
// The place of the largest of each row of n: a block to a row.
//: place_of_largest place_of_largest 1024 256 2048 0 uniform
extern "C" __global__ void place_of_largest PARAMETERS(float, float, uint) {
    __shared__ float best[256];
    __shared__ uint place[256];
    float most = -1;
    uint at = 0;
    for (uint i = T; i < n; i += 256) {
        float v = a[blockIdx.x * n + i];
        if (v > most) most = v, at = i;
    }
    best[T] = most, place[T] = at;
    for (uint width = 128; width > 0; width /= 2) {
        __syncthreads();
        if (T < width && best[T + width] > best[T]) best[T] = best[T + width], place[T] = place[T + width];
    }
    if (T == 0) c[blockIdx.x] = place[0];
}
//: warp_scan_blocks warp_scan 2048 512 0 0 below 16
extern "C" __global__ void warp_scan PARAMETERS(uint, float, uint) {
    __shared__ uint sums[16];
    uint x = a[I];
    for (int d = 1; d < 32; d *= 2) {
        uint left = __shfl_up_sync(EVERY, x, d);
        if (LANE >= d) x += left;
    }
    if (LANE == 31) sums[T / 32] = x;
    __syncthreads();
    if (T < 16) {
        uint s = sums[T];
        for (int d = 1; d < 16; d *= 2) {
            uint left = __shfl_up_sync(0xffff, s, d);
            if (T >= d) s += left;
        }
        sums[T] = s;
    }
    __syncthreads();
    c[I] = x + (T >= 32 ? sums[T / 32 - 1] : 0);
}
// One block that sums all: what is left of a reduction.
//: last_block_sum last_block_sum 1 1024 16384 0 uniform
extern "C" __global__ void last_block_sum PARAMETERS(float, float, float) {
    __shared__ float s[32];
    float sum = 0;
    for (uint i = T; i < n; i += 1024) sum += a[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(EVERY, sum, d);
    if (LANE == 0) s[T / 32] = sum;
    __syncthreads();
    if (T < 32) {
        sum = s[T];
        for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(EVERY, sum, d);
        if (T == 0) c[0] = sum;
    }
}
// Variance of rows of n by Welford's recurrence, a thread to a row, rows side by side.
//: welford welford 132 256 256 0 uniform
extern "C" __global__ void welford PARAMETERS(float, float, float) {
    float mean = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        float v = a[i * THREADS + I], d = v - mean;
        mean += __fdividef(d, i + 1);
        sum += d * (v - mean);
    }
    c[I] = sum;
}
//: keep_small keep_small 4096 256 0 0 below 100
extern "C" __global__ void keep_small PARAMETERS(uint, float, uint) {
    __shared__ uint base[8], start;
    uint x = a[I], keep = x < 40, votes = __ballot_sync(EVERY, keep);
    if (LANE == 0) base[T / 32] = __popc(votes);
    __syncthreads();
    if (T == 0) {
        uint sum = 0;
        for (int w = 0; w < 8; w++) {
            uint v = base[w];
            base[w] = sum;
            sum += v;
        }
        start = atomicAdd(c, sum) & 0x3fffff;
    }
    __syncthreads();
    if (keep) c[32 + start + base[T / 32] + __popc(votes & ((1u << LANE) - 1))] = x;
}

// --- Counts ------------------------------------------------------------------------------------------------------------------------
// Digits of four bits, counted by block in shared memory.
//: digits_of_keys digits_of_keys 1024 256 0 4 below 1000000
extern "C" __global__ void digits_of_keys PARAMETERS(uint4, float, uint) {
    __shared__ uint s[16 * 8];
    if (T < 128) s[T] = 0;
    __syncthreads();
    uint4 v = a[I];
    atomicAdd(&s[(v.x >> m & 15) + T / 32 * 16], 1);
    atomicAdd(&s[(v.y >> m & 15) + T / 32 * 16], 1);
    atomicAdd(&s[(v.z >> m & 15) + T / 32 * 16], 1);
    atomicAdd(&s[(v.w >> m & 15) + T / 32 * 16], 1);
    __syncthreads();
    if (T < 16) {
        uint sum = 0;
        for (int w = 0; w < 8; w++) sum += s[w * 16 + T];
        c[blockIdx.x * 16 + T] = sum;
    }
}
//: counts_2048 counts_2048 264 512 1048576 0 below 2048
extern "C" __global__ void counts_2048 PARAMETERS(uint, float, uint) {
    __shared__ uint s[2048];
    for (int i = T; i < 2048; i += 512) s[i] = 0;
    __syncthreads();
    for (uint i = I; i < n; i += THREADS) atomicAdd(&s[a[i]], 1);
    __syncthreads();
    for (int i = T; i < 2048; i += 512)
        if (s[i]) atomicAdd(&c[i], s[i]);
}
//: scatter_add scatter_add 2048 256 0 0 below 1048576
extern "C" __global__ void scatter_add PARAMETERS(uint, float, float) { atomicAdd(&c[a[I]], b[I]); }
//: groups_of_64 groups_of_64 2048 256 0 0 uniform
extern "C" __global__ void groups_of_64 PARAMETERS(float, float, float) { atomicAdd(&c[I / 64], a[I]); }

// --- Products ------------------------------------------------------------------------------------------------------------------------
//: product_32 product_32 256 1024 512 0 uniform
extern "C" __global__ void product_32 PARAMETERS(float, float, float) {
    __shared__ float x[32][32], y[32][33];
    uint tx = T % 32, ty = T / 32, tiles = n / 32, row = blockIdx.x / tiles * 32 + ty, column = blockIdx.x % tiles * 32 + tx;
    float sum = 0;
    for (int k = 0; k < n; k += 32) {
        x[ty][tx] = a[row * n + k + tx];
        y[ty][tx] = b[(k + ty) * n + column];
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 32; kk++) sum += x[ty][kk] * y[kk][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
// 128 × 128 to a block of 256, 8 × 8 to a thread.
//: product_8x8_1024 product_8x8 64 256 1024 0 uniform
//: product_8x8_2048 product_8x8 256 256 2048 0 uniform
extern "C" __global__ void __launch_bounds__(256) product_8x8 PARAMETERS(float, float, float) {
    __shared__ float x[8][128], y[8][128];
    uint tiles = n / 128, by = blockIdx.x / tiles * 128, bx = blockIdx.x % tiles * 128, tx = T % 16, ty = T / 16;
    float sum[8][8] = {};
    for (int k = 0; k < n; k += 8) {
        float4 v = *(const float4*)&a[(by + T / 2) * n + k + T % 2 * 4];
        x[T % 2 * 4][T / 2] = v.x, x[T % 2 * 4 + 1][T / 2] = v.y, x[T % 2 * 4 + 2][T / 2] = v.z, x[T % 2 * 4 + 3][T / 2] = v.w;
        *(float4*)&y[T / 32][T % 32 * 4] = *(const float4*)&b[(k + T / 32) * n + bx + T % 32 * 4];
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 8; kk++) {
            float xs[8], ys[8];
            *(float4*)xs = *(float4*)&x[kk][ty * 8], *(float4*)(xs + 4) = *(float4*)&x[kk][ty * 8 + 4];
            *(float4*)ys = *(float4*)&y[kk][tx * 4], *(float4*)(ys + 4) = *(float4*)&y[kk][tx * 4 + 64];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++) sum[i][j] += xs[i] * ys[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int h = 0; h < 2; h++)
            *(float4*)&c[(by + ty * 8 + i) * n + bx + tx * 4 + h * 64] =
                make_float4(sum[i][h * 4], sum[i][h * 4 + 1], sum[i][h * 4 + 2], sum[i][h * 4 + 3]);
}
// Tensor cores: a warp to a tile of 16 × 8 of a product of halves, straight from global memory.
//: product_mma product_mma 512 128 512 0 zeros
extern "C" __global__ void product_mma PARAMETERS(uint, uint, float) {
    uint warp = I / 32, tiles = n / 8, row = warp / tiles * 16 + LANE / 4, column = warp % tiles * 8 + LANE / 4, half = n / 2;
    if (warp >= n / 16 * tiles) return;
    float d[4] = {};
    for (int k = 0; k < half; k += 8) {
        uint at = row * half + k + LANE % 4, from = column * half + k + LANE % 4;
        uint a0 = a[at], a1 = a[at + 8 * half], a2 = a[at + 4], a3 = a[at + 8 * half + 4], b0 = b[from], b1 = b[from + 4];
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    }
    float2* out = (float2*)&c[row * n + warp % tiles * 8 + LANE % 4 * 2];
    out[0] = make_float2(d[0], d[1]);
    out[4 * n] = make_float2(d[2], d[3]);
}
// y = Aᵀ x: a thread to a column.
//: gemv_columns gemv_columns 64 128 2048 8192 uniform
extern "C" __global__ void gemv_columns PARAMETERS(float, float, float) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += a[i * m + I] * b[i];
    c[I] = sum;
}
// A block to a row.
//: gemv_block gemv_block 2048 128 4096 0 uniform
extern "C" __global__ void gemv_block PARAMETERS(float4, float4, float) {
    __shared__ float s[4];
    float sum = 0;
    for (int i = T; i < n / 4; i += 128) {
        float4 v = a[blockIdx.x * (n / 4) + i], w = b[i];
        sum += v.x * w.x + v.y * w.y + v.z * w.z + v.w * w.w;
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(EVERY, sum, d);
    if (LANE == 0) s[T / 32] = sum;
    __syncthreads();
    if (T == 0) c[blockIdx.x] = s[0] + s[1] + s[2] + s[3];
}
//: outer_product outer_product 4096 256 1024 0 uniform
extern "C" __global__ void outer_product PARAMETERS(float, float, float) { c[I] += a[I / n] * b[I % n]; }
// Scores of attention: a query's 64 against keys of a block in shared memory, a key to a thread.
//: scores scores 1024 128 64 0 uniform
extern "C" __global__ void scores PARAMETERS(float, float, float) {
    __shared__ float q[64];
    if (T < 64) q[T] = a[blockIdx.x * 64 + T];
    __syncthreads();
    const float4* key = (const float4*)&b[T * 64];
    float sum = 0;
    for (int i = 0; i < 16; i++) {
        float4 k = key[i];
        sum += k.x * q[4 * i] + k.y * q[4 * i + 1] + k.z * q[4 * i + 2] + k.w * q[4 * i + 3];
    }
    c[I] = __expf(sum * 0.125f);
}

// --- Grids -------------------------------------------------------------------------------------------------------------------------
//: all_27_points all_27_points 4096 256 64 0 uniform
extern "C" __global__ void all_27_points PARAMETERS(float, float, float) {
    int x = I % n, y = I / n % n, z = I / (n * n);
    float sum = 0;
    if (x > 0 && y > 0 && z > 0 && x < n - 1 && y < n - 1)
#pragma unroll
        for (int dz = -1; dz <= 1; dz++)
#pragma unroll
            for (int dy = -1; dy <= 1; dy++)
#pragma unroll
                for (int dx = -1; dx <= 1; dx++) sum += a[I + (dz * n + dy) * n + dx];
    c[I] = sum * 0.037f;
}
//: blur_of_columns blur_of_columns 4096 256 1024 0 uniform
extern "C" __global__ void blur_of_columns PARAMETERS(float, float, float) {
    __shared__ float s[48][17];
    uint x = blockIdx.x % (n / 16) * 16 + T % 16, y = blockIdx.x / (n / 16) * 16;
    for (uint r = T / 16; r < 48; r += 16) s[r][T % 16] = a[(y + r) * n + x];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 33; k++) sum += s[T / 16 + k - (k == 32)][T % 16] * (0.03f + 0.001f * k);
    c[(y + T / 16) * n + x] = sum;
}
// Conway's game of life, a byte to a cell.
//: life life 8192 256 2048 0 below 2
extern "C" __global__ void life PARAMETERS(byte, float, byte) {
    uint x = I % n, y = I / n;
    if (x == 0 || y == 0 || x == n - 1 || y == 1023) return;
    uint around = a[I - n - 1] + a[I - n] + a[I - n + 1] + a[I - 1] + a[I + 1] + a[I + n - 1] + a[I + n] + a[I + n + 1];
    c[I] = around == 3 || (around == 2 && a[I]);
}
// Ten steps of Jacobi in a block's tile.
//: jacobi_in_block jacobi_in_block 1024 256 10 0 uniform
extern "C" __global__ void jacobi_in_block PARAMETERS(float, float, float) {
    __shared__ float s[2][18][18];
    uint x = T % 16 + 1, y = T / 16 + 1;
    s[0][y][x] = s[1][y][x] = a[I];
    if (T < 18) s[0][0][T] = s[0][17][T] = s[0][T][0] = s[0][T][17] = s[1][0][T] = s[1][17][T] = s[1][T][0] = s[1][T][17] = 0;
    __syncthreads();
    for (int i = 0; i < n; i++) {
        s[~i & 1][y][x] = 0.25f * (s[i & 1][y - 1][x] + s[i & 1][y + 1][x] + s[i & 1][y][x - 1] + s[i & 1][y][x + 1]);
        __syncthreads();
    }
    c[I] = s[n & 1][y][x];
}
// Tiles of 16 × 16 doubles, transposed.
//: transpose_f64 transpose_f64 4096 256 1024 0 zeros
extern "C" __global__ void transpose_f64 PARAMETERS(double, float, double) {
    __shared__ double s[16][17];
    uint tiles = n / 16, bx = blockIdx.x % tiles * 16, by = blockIdx.x / tiles * 16, x = T % 16, y = T / 16;
    s[y][x] = a[(by + y) * n + bx + x];
    __syncthreads();
    c[(bx + y) * n + by + x] = s[x][y];
}
// Places in the order of reversed bits, 2^20 of them.
//: bits_reversed bits_reversed 4096 256 0 0 uniform
extern "C" __global__ void bits_reversed PARAMETERS(float, float, float) { c[__brev(I) >> 12] = a[I]; }
// A transform of 512 points in shared memory, radix 2.
//: transform_512 transform_512 1024 256 0 0 uniform
extern "C" __global__ void transform_512 PARAMETERS(float2, float, float2) {
    __shared__ float2 s[512];
    s[T] = a[blockIdx.x * 512 + T];
    s[T + 256] = a[blockIdx.x * 512 + T + 256];
    for (uint d = 1; d < 512; d *= 2) {
        __syncthreads();
        uint k = T & (d - 1), i = (T - k) * 2 + k;
        float sine, cosine;
        __sincosf(-3.14159265f * k / d, &sine, &cosine);
        float2 x = s[i], y = s[i + d], z = make_float2(y.x * cosine - y.y * sine, y.x * sine + y.y * cosine);
        s[i] = make_float2(x.x + z.x, x.y + z.y);
        s[i + d] = make_float2(x.x - z.x, x.y - z.y);
    }
    __syncthreads();
    c[blockIdx.x * 512 + T] = s[T];
    c[blockIdx.x * 512 + T + 256] = s[T + 256];
}

// --- Arithmetic, branches ----------------------------------------------------------------------------------------------------------
//: xorshift xorshift 528 256 128 0 below 1000000
extern "C" __global__ void xorshift PARAMETERS(uint, float, uint) {
    uint x = a[I] + 1;
    for (int i = 0; i < n; i++) x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    c[I] = x;
}
//: waves waves 2048 256 8 0 uniform
extern "C" __global__ void waves PARAMETERS(float, float, float) {
    float t = a[I] * 6.0f, sum = 0;
    for (int k = 1; k <= n; k++) sum += sinf(t * k) * cosf(t + k) / k;
    c[I] = sum;
}
// The nearest of n spheres that a ray meets.
//: spheres spheres 1024 256 32 0 uniform
extern "C" __global__ void spheres PARAMETERS(float, float4, float) {
    float dx = a[I] - 0.5f, dy = a[I + 262144] - 0.5f, dz = 1.0f, scale = rsqrtf(dx * dx + dy * dy + dz * dz), nearest = 1e30f;
    dx *= scale, dy *= scale, dz *= scale;
    for (int i = 0; i < n; i++) {
        float4 o = b[i];
        float along = o.x * dx + o.y * dy + (o.z + 2) * dz;
        float reach = along * along - (o.x * o.x + o.y * o.y + (o.z + 2) * (o.z + 2)) + o.w * o.w;
        if (reach > 0) {
            float t = along - sqrtf(reach);
            if (t > 0 && t < nearest) nearest = t;
        }
    }
    c[I] = nearest;
}
//: greatest_divisor greatest_divisor 528 256 0 0 below 100000
extern "C" __global__ void greatest_divisor PARAMETERS(uint, float, uint) {
    uint x = a[I] + 1, y = a[I + 135168] + 1;
    while (y) {
        uint r = x % y;
        x = y;
        y = r;
    }
    c[I] = x;
}
// A table of 256 words in shared memory, a byte of the input at a time.
//: checksum checksum 264 256 16 0 below 1000000
extern "C" __global__ void checksum PARAMETERS(uint, uint, uint) {
    __shared__ uint table[256];
    table[T] = b[T];
    __syncthreads();
    uint sum = ~0u;
    for (int i = 0; i < n; i++) {
        uint w = a[i * THREADS + I];
        for (int k = 0; k < 4; k++, w >>= 8) sum = table[(sum ^ w) & 255] ^ sum >> 8;
    }
    c[I] = sum;
}
// Half of the warps work, and one lane of each warp works longer.
//: half_idle half_idle 1056 256 64 0 uniform
extern "C" __global__ void half_idle PARAMETERS(float, float, float) {
    float x = a[I], y = x;
    if (T / 32 % 2 == 0) {
        for (int i = 0; i < n; i++) y = y * x + 0.125f;
        if (LANE == 5)
            for (int i = 0; i < n; i++) y = sqrtf(y + x);
    }
    c[I] = y;
}
// Queens on a board of n × n below a first row's choice, by bits.
//: queens queens 8 64 9 0 zeros
extern "C" __global__ void queens PARAMETERS(uint, float, uint) {
    uint all = (1u << n) - 1, first = 1u << I % n, second = 1u << I / n % n, count = 0;
    uint columns[16], left[16], right[16], open[16];
    int depth = 0;
    columns[0] = first | second, left[0] = (first << 1 | second) << 1, right[0] = (first >> 1 | second) >> 1;
    open[0] = all & ~(columns[0] | left[0] | right[0]);
    while (depth >= 0) {
        uint bit = open[depth] & -open[depth];
        if (!bit) {
            depth--;
            continue;
        }
        open[depth] ^= bit;
        uint taken = columns[depth] | bit;
        if (taken == all) {
            count++;
            continue;
        }
        uint l = (left[depth] | bit) << 1, r = (right[depth] | bit) >> 1;
        depth++;
        columns[depth] = taken, left[depth] = l, right[depth] = r, open[depth] = all & ~(taken | l | r);
    }
    c[I] = count;
}
// Rows of a graph's edges, of very different lengths: a thread to a node.
//: frontier frontier 256 256 0 0 below 65536
extern "C" __global__ void frontier PARAMETERS(uint, float, uint) {
    uint h = I * 2654435761u, edges = (h >> 28) == 0 ? 64 : h >> 29;
    uint least = ~0u;
    for (uint e = 0; e < edges; e++) least = min(least, c[1048576 + a[I * 64 + e]]);
    c[I] = least + 1;
}
// Tiles through asynchronous copies, two in flight.
//: copied_ahead copied_ahead 264 128 16 0 uniform
extern "C" __global__ void copied_ahead PARAMETERS(float4, float, float4) {
    __shared__ float4 s[2][128];
    const float4* from = a + blockIdx.x * n * 128 + T;
    float4 sum = make_float4(0, 0, 0, 0);
    uint to = (uint)__cvta_generic_to_shared(&s[0][T]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\ncp.async.commit_group;" ::"r"(to), "l"(from) : "memory");
    for (int i = 0; i < n; i++) {
        if (i + 1 < n)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + (i + 1) % 2 * 2048), "l"(from + (i + 1) * 128) : "memory");
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 1;" ::: "memory");
        float4 v = s[i % 2][T];
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    c[I] = sum;
}
