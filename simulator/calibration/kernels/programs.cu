// Kernels of the kinds that programs are made of. The clock was judged by them while it was made on `calibration.cu` alone; now they
// are read and measured for its mechanisms as those are, and `unseen.cu` is what it is judged by.
//
// Rows and parameters are as in `calibration.cu`.

typedef unsigned int uint;
typedef unsigned long long ull;
#define KERNEL(name, A) extern "C" __global__ void name(const A* __restrict__ a, const float* __restrict__ b, A* c, int n, int m)
#define I (blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS (gridDim.x * blockDim.x)

//: saxpy_1m saxpy 4096 256 1048576 0 uniform
//: saxpy_12m saxpy 49152 256 12582912 0 uniform
KERNEL(saxpy, float) {
    if (I < n) c[I] = 2.5f * a[I] + b[I];
}
//: float4_copy float4_copy 8192 256 2097152 0 uniform
KERNEL(float4_copy, float4) {
    if (I < n) c[I] = a[I];
}
//: grid_stride_scale grid_stride_scale 264 512 8388608 0 uniform
KERNEL(grid_stride_scale, float) {
    for (uint i = I; i < n; i += THREADS) c[i] = a[i] * 3.0f;
}

// Indices of a are random: c[i] = b[a[i]].
//: gather_2m gather 8192 256 2097152 0 below 4194304
//: gather_small gather 4096 256 1048576 0 below 16384
extern "C" __global__ void gather(const uint* __restrict__ a, const float* __restrict__ b, float* c, int n, int m) {
    if (I < n) c[I] = b[a[I]];
}
//: scatter_1m scatter 4096 256 1048576 0 below 8388608
extern "C" __global__ void scatter(const uint* __restrict__ a, const float* __restrict__ b, float* c, int n, int m) {
    if (I < n) c[a[I]] = b[I];
}
//: strided_32 strided 1024 256 32 0 uniform
//: strided_7 strided 4096 256 7 0 uniform
KERNEL(strided, float) { c[I] = a[I * n]; }

// --- Reductions ------------------------------------------------------------------------------------------------------------------
__device__ float warp_sum(float x) {
    for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(~0u, x, d);
    return x;
}
//: reduce_grid_stride reduce_grid_stride 256 256 8388608 0 uniform
//: reduce_grid_stride_few reduce_grid_stride 64 256 2097152 0 uniform
KERNEL(reduce_grid_stride, float) {
    __shared__ float s[256];
    float sum = 0;
    for (uint i = I; i < n; i += THREADS) sum += a[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (uint width = 128; width > 0; width /= 2) {
        if (threadIdx.x < width) s[threadIdx.x] += s[threadIdx.x + width];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(c, s[0]);
}
//: reduce_shuffle reduce_shuffle 1024 256 1048576 0 uniform
KERNEL(reduce_shuffle, float4) {
    __shared__ float s[8];
    float4 v = a[I];
    float sum = warp_sum(v.x + v.y + v.z + v.w);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 8) {
        sum = s[threadIdx.x];
        for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xff, sum, d);
        if (threadIdx.x == 0) atomicAdd((float*)c, sum);
    }
}
//: f64_dot f64_dot 512 256 2097152 0 zeros
extern "C" __global__ void f64_dot(const double* __restrict__ a, const double* __restrict__ b, double* c, int n, int m) {
    __shared__ double s[256];
    double sum = 0;
    for (uint i = I; i < n; i += THREADS) sum += a[i] * b[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (uint width = 128; width > 0; width /= 2) {
        if (threadIdx.x < width) s[threadIdx.x] += s[threadIdx.x + width];
        __syncthreads();
    }
    if (threadIdx.x == 0) c[blockIdx.x] = s[0];
}
//: scan_blocks scan_blocks 4096 256 1048576 0 below 8
KERNEL(scan_blocks, uint) {
    __shared__ uint s[2][256];
    uint t = threadIdx.x, from = 0;
    s[0][t] = a[I];
    __syncthreads();
    for (uint d = 1; d < 256; d *= 2) {
        s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    c[I] = s[from][t];
}

// --- Chains and arithmetic ---------------------------------------------------------------------------------------------------------
//: linked_list linked_list 1 32 1024 0 chase 8388608 64
KERNEL(linked_list, uint) {
    uint at = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        at = a[at];
        sum += at & 255;
    }
    c[0] = sum;
}
//: horner_one_warp horner 132 32 2048 0 uniform
//: horner_full horner 1056 256 1024 0 uniform
KERNEL(horner, float) {
    float x = a[I], y = 1;
    for (int i = 0; i < n; i++) y = y * x + 0.5f;
    c[I] = y;
}
//: integer_mix integer_mix 2112 256 64 0 below 1000000
KERNEL(integer_mix, uint) {
    uint h = a[I];
    for (int i = 0; i < n; i++) {
        h ^= h >> 16;
        h *= 0x7feb352du;
        h ^= h >> 15;
        h *= 0x846ca68bu;
        h ^= h >> 16;
        h = (h << 13 | h >> 19) * 5 + 0xe6546b64u;
    }
    c[I] = h;
}
//: sha_like sha_like 1056 256 4 0 below 1000000
KERNEL(sha_like, uint) {
    uint w[16], s[8];
    for (int i = 0; i < 16; i++) w[i] = a[I] + i * n;
    for (int i = 0; i < 8; i++) s[i] = 0x6a09e667u * (i + 1);
#define R(x, k) ((x) >> (k) | (x) << (32 - (k)))
    for (int turn = 0; turn < n; turn++) {
#pragma unroll
        for (int i = 0; i < 16; i++) {
            uint w1 = w[(i + 14) % 16], w15 = w[(i + 1) % 16];
            w[i] += (R(w15, 7) ^ R(w15, 18) ^ w15 >> 3) + w[(i + 9) % 16] + (R(w1, 17) ^ R(w1, 19) ^ w1 >> 10);
            uint t1 = s[7] + (R(s[4], 6) ^ R(s[4], 11) ^ R(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + w[i] + 0x428a2f98u;
            uint t2 = (R(s[0], 2) ^ R(s[0], 13) ^ R(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + t1, s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = t1 + t2;
        }
    }
    c[I] = s[0] ^ s[1] ^ s[2] ^ s[3] ^ s[4] ^ s[5] ^ s[6] ^ s[7];
}
//: mandelbrot mandelbrot 1024 256 128 512 zeros
KERNEL(mandelbrot, uint) {
    float cr = (I % m) * (3.0f / m) - 2.0f, ci = (I / m) * (2.0f / m) - 1.0f, x = 0, y = 0;
    int k = 0;
    for (; k < n && x * x + y * y < 4.0f; k++) {
        float t = x * x - y * y + cr;
        y = 2 * x * y + ci;
        x = t;
    }
    c[I] = k;
}
//: black_scholes black_scholes 4096 256 0 0 uniform
__device__ float normal(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float p = 0.39894228f * expf(-0.5f * d * d) *
              (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - p : p;
}
KERNEL(black_scholes, float) {
    float s = 5 + 25 * a[I], x = 1 + 99 * b[I], t = 0.25f + 9 * a[I + 1048576], root = sqrtf(t);
    float d1 = (logf(s / x) + (0.02f + 0.045f) * t) / (0.3f * root), d2 = d1 - 0.3f * root;
    float paid = x * expf(-0.02f * t);
    c[I] = s * normal(d1) - paid * normal(d2);
    c[I + 1048576] = paid * normal(-d2) - s * normal(-d1);
}
//: n_body n_body 64 128 8192 0 uniform
extern "C" __global__ void n_body(const float4* __restrict__ a, const float* __restrict__ b, float4* c, int n, int m) {
    __shared__ float4 s[128];
    float4 own = a[I];
    float x = 0, y = 0, z = 0;
    for (int tile = 0; tile < n; tile += 128) {
        s[threadIdx.x] = a[tile + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 128; j++) {
            float4 o = s[j];
            float dx = o.x - own.x, dy = o.y - own.y, dz = o.z - own.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float f = o.w * r * r * r;
            x += dx * f, y += dy * f, z += dz * f;
        }
        __syncthreads();
    }
    c[I] = make_float4(x, y, z, 0);
}
//: half2_axpy half2_axpy 4096 256 1048576 0 zeros
extern "C" __global__ void half2_axpy(const uint* __restrict__ a, const uint* __restrict__ b, uint* c, int n, int m) {
    uint x = a[I], y = b[I], k = 0x3e003e00u;
    for (int i = 0; i < 8; i++) asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(y) : "r"(k), "r"(x), "r"(y));
    c[I] = y;
}

// --- Divergence, histograms --------------------------------------------------------------------------------------------------------
//: eight_ways eight_ways 1056 256 32 0 below 1000000
KERNEL(eight_ways, uint) {
    uint x = a[I];
    for (int i = 0; i < n; i++) {
        switch ((x + threadIdx.x) & 7) {
            case 0: x = x * 3 + 1; break;
            case 1: x = (x ^ 0x55555555) + 7; break;
            case 2: x = x / 3 + 11; break;
            case 3: x = (x << 5 | x >> 27) - 1; break;
            case 4: x = __popc(x) * 77777 + x; break;
            case 5: x = (uint)((float)x * 0.7f); break;
            case 6: x = x - (x >> 4); break;
            default: x = ~x * 9;
        }
    }
    c[I] = x;
}
//: collatz collatz 528 256 0 0 below 100000
KERNEL(collatz, uint) {
    uint x = a[I] + 1, steps = 0;
    while (x != 1 && steps < 200) x = x & 1 ? 3 * x + 1 : x / 2, steps++;
    c[I] = steps;
}
//: histogram_shared histogram_shared 264 256 2097152 0 below 256
KERNEL(histogram_shared, uint) {
    __shared__ uint s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (uint i = I; i < n; i += THREADS) atomicAdd(&s[a[i]], 1u);
    __syncthreads();
    atomicAdd(&c[threadIdx.x], s[threadIdx.x]);
}
//: histogram_global histogram_global 2048 256 524288 0 below 256
//: histogram_global_wide histogram_global 4096 256 1048576 0 below 65536
KERNEL(histogram_global, uint) {
    if (I < n) atomicAdd(&c[a[I]], 1u);
}

// --- Rows --------------------------------------------------------------------------------------------------------------------------
// A warp to a row of n.
//: layer_norm layer_norm 1024 256 512 0 uniform
KERNEL(layer_norm, float) {
    uint lane = threadIdx.x % 32, row = I / 32;
    const float* x = a + row * n;
    float sum = 0, squares = 0;
    for (int i = lane; i < n; i += 32) sum += x[i], squares += x[i] * x[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d), squares += __shfl_xor_sync(~0u, squares, d);
    float mean = sum / n, scale = rsqrtf(squares / n - mean * mean + 1e-5f);
    for (int i = lane; i < n; i += 32) c[row * n + i] = (x[i] - mean) * scale * b[i];
}
// A block to a row of n.
//: softmax softmax 2048 256 1024 0 uniform
KERNEL(softmax, float) {
    __shared__ float s[8];
    const float* x = a + blockIdx.x * n;
    float most = -1e30f, sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) most = fmaxf(most, x[i]);
    for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = most;
    __syncthreads();
    for (int i = 0; i < 8; i++) most = fmaxf(most, s[i]);
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += __expf(x[i] - most);
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < 8; i++) sum += s[i];
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[blockIdx.x * n + i] = __expf(x[i] - most) / sum;
}
// A warp to a row of n, and a thread to a row.
//: gemv_warp gemv_warp 512 256 2048 0 uniform
KERNEL(gemv_warp, float) {
    uint lane = threadIdx.x % 32, row = I / 32;
    float sum = 0;
    for (int i = lane; i < n; i += 32) sum += a[row * n + i] * b[i];
    sum = warp_sum(sum);
    if (lane == 0) c[row] = sum;
}
//: gemv_thread gemv_thread 32 128 1024 0 uniform
KERNEL(gemv_thread, float) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += a[I * n + i] * b[i];
    c[I] = sum;
}
// Rows of 1 to 32 entries; columns of them are random.
//: spmv_thread spmv_thread 512 256 0 0 below 131072
extern "C" __global__ void spmv_thread(const uint* __restrict__ a, const float* __restrict__ b, float* c, int n, int m) {
    uint entries = 1 + (I * 2654435761u >> 27);
    float sum = 0;
    for (uint i = 0; i < entries; i++) sum += b[I * 32 + i] * b[a[I * 32 + i]];
    c[I] = sum;
}
//: spmv_warp spmv_warp 2048 256 0 0 below 131072
extern "C" __global__ void spmv_warp(const uint* __restrict__ a, const float* __restrict__ b, float* c, int n, int m) {
    uint row = I / 32, lane = threadIdx.x % 32, entries = 8 + (row * 2654435761u >> 26);
    float sum = 0;
    for (uint i = lane; i < entries; i += 32) sum += b[row * 96 + i] * b[a[row * 96 + i]];
    sum = warp_sum(sum);
    if (lane == 0) c[row] = sum;
}

// --- Products ------------------------------------------------------------------------------------------------------------------------
// n × n, a tile of 64 × 64 to a block of 256 threads, 4 × 4 to a thread.
//: tiled_4x4_512 tiled_4x4 64 256 512 0 uniform
//: tiled_4x4_1024 tiled_4x4 256 256 1024 0 uniform
KERNEL(tiled_4x4, float) {
    __shared__ float x[16][64], y[16][64];
    int tiles = n / 64, by = blockIdx.x / tiles * 64, bx = blockIdx.x % tiles * 64;
    int ty = threadIdx.x / 16, tx = threadIdx.x % 16;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int i = threadIdx.x; i < 1024; i += 256) {
            x[i % 16][i / 16] = a[(by + i / 16) * n + k + i % 16];
            y[i / 64][i % 64] = b[(k + i / 64) * n + bx + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 16; kk++) {
            float xs[4], ys[4];
            for (int i = 0; i < 4; i++) xs[i] = x[kk][ty * 4 + i], ys[i] = y[kk][tx * 4 + i];
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) sum[i][j] += xs[i] * ys[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) c[(by + ty * 4 + i) * n + bx + tx * 4 + j] = sum[i][j];
}
//: tiled_16 tiled_16 1024 256 512 0 uniform
KERNEL(tiled_16, float) {
    __shared__ float x[16][16], y[16][16];
    int tiles = n / 16, ty = threadIdx.x / 16, tx = threadIdx.x % 16;
    int row = blockIdx.x / tiles * 16 + ty, column = blockIdx.x % tiles * 16 + tx;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        x[ty][tx] = a[row * n + k + tx];
        y[ty][tx] = b[(k + ty) * n + column];
        __syncthreads();
        for (int kk = 0; kk < 16; kk++) sum += x[ty][kk] * y[kk][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
// A product of 16 × 16 to a block.
//: batched_16 batched_16 4096 256 0 0 uniform
KERNEL(batched_16, float) {
    __shared__ float x[256], y[256];
    x[threadIdx.x] = a[I];
    y[threadIdx.x] = b[I];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 16; k++) sum += x[threadIdx.x / 16 * 16 + k] * y[k * 16 + threadIdx.x % 16];
    c[I] = sum;
}

// --- Stencils, convolution -----------------------------------------------------------------------------------------------------------
//: stencil_1d stencil_1d 8192 256 2097152 0 uniform
KERNEL(stencil_1d, float) {
    __shared__ float s[256 + 8];
    uint t = threadIdx.x;
    s[t + 4] = a[I + 4];
    if (t < 4) s[t] = a[I], s[t + 260] = a[I + 260];
    __syncthreads();
    float sum = 0;
    for (int d = 0; d < 9; d++) sum += s[t + d] * 0.111f;
    c[I] = sum;
}
//: stencil_2d stencil_2d 8192 256 2048 0 uniform
KERNEL(stencil_2d, float) {
    uint x = I % n, y = I / n;
    if (x > 0 && y > 0 && x < n - 1 && y < 1023)
        c[I] = 0.2f * (a[I] + a[I - 1] + a[I + 1] + a[I - n] + a[I + n]);
}
//: stencil_3d stencil_3d 8192 256 128 0 uniform
KERNEL(stencil_3d, float) {
    uint x = I % n, y = I / n % n, z = I / (n * n);
    if (x > 0 && y > 0 && z > 0 && x < n - 1 && y < n - 1 && z < n - 1)
        c[I] = 0.4f * a[I] + 0.1f * (a[I - 1] + a[I + 1] + a[I - n] + a[I + n] + a[I - n * n] + a[I + n * n]);
}
//: convolution_5x5 convolution_5x5 4096 256 1024 0 uniform
KERNEL(convolution_5x5, float) {
    uint x = I % n, y = I / n;
    float sum = 0;
    if (x < n - 4 && y < 1020) {
#pragma unroll
        for (int i = 0; i < 5; i++)
#pragma unroll
            for (int j = 0; j < 5; j++) sum += a[(y + i) * n + x + j] * b[i * 5 + j];
    }
    c[I] = sum;
}

// --- Transposes, sorting, transforms ---------------------------------------------------------------------------------------------
//: transpose_naive transpose_naive 4096 256 1024 0 uniform
KERNEL(transpose_naive, float) {
    uint x = I % n, y = I / n;
    c[x * n + y] = a[y * n + x];
}
//: transpose_tile transpose_tile 4096 256 2048 0 uniform
KERNEL(transpose_tile, float) {
    __shared__ float s[32][33];
    uint tiles = n / 32, bx = blockIdx.x % tiles * 32, by = blockIdx.x / tiles * 32, x = threadIdx.x % 32;
    for (uint y = threadIdx.x / 32; y < 32; y += 8) s[y][x] = a[(by + y) * n + bx + x];
    __syncthreads();
    for (uint y = threadIdx.x / 32; y < 32; y += 8) c[(bx + y) * n + by + x] = s[x][y];
}
// The step of a bitonic sort in global memory, and a whole sort of 512 in shared memory.
//: bitonic_step bitonic_step 2048 256 1048576 1024 below 1000000
extern "C" __global__ void bitonic_step(const uint* __restrict__ a, const float* b, uint* c, int n, int m) {
    uint i = (I & ~(m - 1)) * 2 + (I & (m - 1)), x = a[i], y = a[i + m];
    bool up = (i & (2 * m)) == 0;
    c[i] = up ? min(x, y) : max(x, y);
    c[i + m] = up ? max(x, y) : min(x, y);
}
//: bitonic_block bitonic_block 1024 256 0 0 below 1000000
KERNEL(bitonic_block, uint) {
    __shared__ uint s[512];
    uint t = threadIdx.x;
    s[t] = a[blockIdx.x * 512 + t];
    s[t + 256] = a[blockIdx.x * 512 + t + 256];
    for (uint size = 2; size <= 512; size *= 2)
        for (uint d = size / 2; d > 0; d /= 2) {
            __syncthreads();
            uint i = 2 * t - (t & (d - 1));
            bool up = (i & size) == 0;
            uint x = s[i], y = s[i + d];
            if ((x > y) == up) s[i] = y, s[i + d] = x;
        }
    __syncthreads();
    c[blockIdx.x * 512 + t] = s[t];
    c[blockIdx.x * 512 + t + 256] = s[t + 256];
}
// One pass of a radix-2 transform: distance m.
//: fft_pass fft_pass 4096 256 2097152 256 uniform
extern "C" __global__ void fft_pass(const float2* __restrict__ a, const float* __restrict__ b, float2* c, int n, int m) {
    uint k = I & (m - 1), i = (I - k) * 2 + k;
    float sine, cosine;
    __sincosf(-3.14159265f * k / m, &sine, &cosine);
    float2 x = a[i], y = a[i + m];
    float2 z = make_float2(y.x * cosine - y.y * sine, y.x * sine + y.y * cosine);
    c[i] = make_float2(x.x + z.x, x.y + z.y);
    c[i + m] = make_float2(x.x - z.x, x.y - z.y);
}
// The nearest of n centres in four dimensions.
//: k_means k_means 1024 256 64 0 uniform
extern "C" __global__ void k_means(const float4* __restrict__ a, const float4* __restrict__ b, uint* c, int n, int m) {
    float4 p = a[I];
    float best = 1e30f;
    uint which = 0;
    for (int k = 0; k < n; k++) {
        float4 o = b[k];
        float dx = p.x - o.x, dy = p.y - o.y, dz = p.z - o.z, dw = p.w - o.w;
        float d = dx * dx + dy * dy + dz * dz + dw * dw;
        if (d < best) best = d, which = k;
    }
    c[I] = which;
}
// A random walk: π from throws.
//: monte_carlo monte_carlo 528 256 256 0 zeros
KERNEL(monte_carlo, uint) {
    uint s = I * 747796405u + 1, hits = 0;
    for (int i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        float x = (s >> 8) * (1.0f / 16777216);
        s = s * 1664525u + 1013904223u;
        float y = (s >> 8) * (1.0f / 16777216);
        hits += x * x + y * y < 1.0f;
    }
    c[I] = hits;
}
// Positions of those that are small, by a counter for each block's claim.
//: compact compact 4096 256 1048576 0 below 1000
KERNEL(compact, uint) {
    uint x = a[I];
    if (x < 300) c[16 + (atomicAdd(c, 1u) & 0xfffff)] = x;
}
// Edit distance's recurrence: a row after the other, a diagonal of threads.
//: wavefront wavefront 264 128 256 0 below 4
KERNEL(wavefront, uint) {
    __shared__ uint s[2][129];
    uint t = threadIdx.x, own = a[I];
    s[0][t] = s[1][t] = t;
    __syncthreads();
    for (int i = 0; i < n; i++) {
        uint last = s[i & 1][t], left = t ? s[i & 1][t - 1] : i;
        uint value = min(last + 1, left + (own != (a[i] & 3)));
        __syncthreads();
        s[1 - (i & 1)][t] = value;
        __syncthreads();
    }
    c[I] = s[0][t];
}
