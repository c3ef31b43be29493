// Forty more rows, of programs as an engineer from outside would choose them: written apart from the clock and without a look at the other sets.
// They judged it blind, once, on both cards, and it may learn from them since.
//
// Every kernel has the parameters (a, b, c, n, m). A line that begins with `//:` is a row: a name, the kernel, blocks, threads of
// a block, n, m, and what `a` holds: `zeros`, `uniform` (floats in [0, 1)), `below N` (integers in [0, N)) or `chase BYTES STRIDE`
// (each place that is read holds the index of the next one, in one random cycle through BYTES bytes).
// `b` holds uniform floats, `c` zeros. A launch after another of the same row does the same work.
// No row goes beyond 2^22 words of a buffer but `triad_wide_8m`, which goes through 2^23 words of each.
//
// requires: sm_80

typedef unsigned int u32;
typedef unsigned long long u64;
#define BENCH(name, A, C) extern "C" __global__ void name(const A* __restrict__ a, const float* __restrict__ b, C* __restrict__ c, int n, int m)
#define TID (blockIdx.x * blockDim.x + threadIdx.x)
#define SPAN (gridDim.x * blockDim.x)
#define ALL 0xffffffffu

__device__ __forceinline__ float warp_total(float x) {
    for (int d = 16; d; d >>= 1) x += __shfl_xor_sync(ALL, x, d);
    return x;
}
__device__ __forceinline__ float warp_peak(float x) {
    for (int d = 16; d; d >>= 1) x = fmaxf(x, __shfl_xor_sync(ALL, x, d));
    return x;
}

// --- Streams, strides, gathers, chases -------------------------------------------------------------------------------------------
// STREAM triad by float4, out of memory; n float4.
//: triad_wide_8m triad_wide 1056 256 2097152 0 uniform
BENCH(triad_wide, float4, float4) {
    const float4* y = (const float4*)b;
    for (u32 i = TID; i < n; i += SPAN) {
        float4 p = a[i], q = y[i];
        c[i] = make_float4(p.x + 0.4f * q.x, p.y + 0.4f * q.y, p.z + 0.4f * q.z, p.w + 0.4f * q.w);
    }
}

// n loads of a thread, neighbours m words apart.
//: step_read_5 step_read 264 256 16 5 uniform
//: step_read_1025 step_read 264 256 16 1025 uniform
BENCH(step_read, float, float) {
    u32 at = TID * m, hop = SPAN * m;
    float sum = 0;
    for (int k = 0; k < n; k++, at += hop) sum += a[at & 0x3fffff];
    c[TID] = sum;
}

// Gather of words by an index that is read.
//: pick_by_index_2m pick_by_index 528 256 2097152 0 below 4194304
BENCH(pick_by_index, u32, float) {
    for (u32 i = TID; i < n; i += SPAN) c[i] = b[a[i]];
}

// Scatter of sectors: eight lanes write 32 bytes at a random place; n words.
//: sectors_scattered sectors_scattered 2048 128 1048576 0 below 524288
BENCH(sectors_scattered, u32, float) {
    for (u32 i = TID; i < n; i += SPAN) c[a[i / 8] * 8 + i % 8] = b[i];
}

// Pointer chase: n hops, threads begin m words apart.
//: hops_l1_one hops 1 32 2000 0 chase 32768 128
//: hops_l2_66 hops 66 32 256 32 chase 8388608 128
BENCH(hops, u32, u32) {
    u32 at = TID * m;
    for (int k = 0; k < n; k++) at = a[at];
    c[TID] = at;
}

// --- Chains and divergence ---------------------------------------------------------------------------------------------------------
// One dependent chain of fma, two warps of a multiprocessor.
//: fma_links_low fma_links 132 64 4096 0 uniform
BENCH(fma_links, float, float) {
    float x = a[TID], y = 0.9f * b[threadIdx.x], z = b[blockIdx.x];
#pragma unroll 16
    for (int k = 0; k < n; k++) x = fmaf(x, y, z);
    c[TID] = x;
}

// Six chains of a thread.
//: fma_six_links fma_six_links 66 128 1024 0 uniform
BENCH(fma_six_links, float, float) {
    float x[6], y = 0.9f * b[threadIdx.x], z = b[blockIdx.x];
    for (int i = 0; i < 6; i++) x[i] = a[TID + i * SPAN];
#pragma unroll 4
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 6; i++) x[i] = fmaf(x[i], y, z);
    c[TID] = x[0] + x[1] + x[2] + x[3] + x[4] + x[5];
}

// Sine and root, each of the other.
//: sine_root_links sine_root_links 132 64 96 0 uniform
BENCH(sine_root_links, float, float) {
    float x = a[TID];
    for (int k = 0; k < n; k++) x = sqrtf(1.5f + sinf(x));
    c[TID] = x;
}

// Eight ways through a switch, each with arithmetic of its own.
//: fork_8 fork_8 264 128 24 0 uniform
BENCH(fork_8, float, float) {
    float x = a[TID], y = b[TID];
    u32 v = TID * 2654435761u;
    for (int k = 0; k < n; k++) {
        switch ((threadIdx.x + k) % 8) {
            case 0: x = fmaf(x, y, 0.3f), x = fmaf(x, x, 0.1f), x = fmaf(y, x, -0.2f); break;
            case 1: x = sqrtf(fabsf(x) + y); break;
            case 2: x = __expf(-fabsf(x)) + 0.1f; break;
            case 3: v ^= v >> 15, v *= 0x2c1b3c6du, v ^= v >> 12; break;
            case 4: x = y / (1.0f + fabsf(x)); break;
            case 5: x = __logf(1.5f + fabsf(x)); break;
            case 6: v = v % 9973u * 31u + __popc(v); break;
            default: x = x * rsqrtf(1.0f + x * x), v += __float_as_uint(x) >> 9; break;
        }
    }
    c[TID] = x + (float)(v & 1023);
}

// Thirty-two ways: every lane has a branch to itself.
#define WAY_A(k) case k: x = fmaf(x, 0.9f - k * 0.01f, y), x = fmaf(x, x, 0.1f * k), v += k * 7; break;
#define WAY_B(k) case k: v = v * (2 * k + 1664525u) + 1013904223u, v ^= v >> (k % 13 + 1); break;
#define WAY_C(k) case k: x = y * rsqrtf(fabsf(x) + k), v ^= __brev(v + k); break;
#define WAY_D(k) case k: x = fminf(x * k, 2.0f) - 0.01f * k, x = x * x + y, v = __popc(v) * k + (v >> k % 5); break;
#define WAYS(k) WAY_A(k) WAY_B(k + 1) WAY_C(k + 2) WAY_D(k + 3)
//: fork_32 fork_32 264 64 16 0 uniform
BENCH(fork_32, float, float) {
    float x = a[TID], y = b[TID];
    u32 v = TID * 2654435761u;
    for (int k = 0; k < n; k++) {
        switch ((threadIdx.x * 5 + k) % 32) {
            WAYS(0) WAYS(4) WAYS(8) WAYS(12) WAYS(16) WAYS(20) WAYS(24) WAYS(28)
        }
    }
    c[TID] = x + (float)(v & 1023);
}

// Powers by squaring of a prime field, exponents of 1 to 16 bits: lengths and ways depend on data; n of a thread.
//: modpow_lengths modpow_lengths 132 256 6 0 below 65536
BENCH(modpow_lengths, u32, u32) {
    for (int k = 0; k < n; k++) {
        u32 i = TID + k * SPAN, e = a[i], x = (u32)(b[i] * 65520.0f) + 1, r = 1;
        e >>= x & 15;
        while (e) {
            if (e & 1) r = r * x % 65521u;
            x = x * x % 65521u;
            e >>= 1;
        }
        c[i] = r;
    }
}

// --- Reductions, counts, shared memory ---------------------------------------------------------------------------------------------
// The tree of the textbook: half of the threads at each step; n words of a thread before it.
//: tree_of_512 tree_of_512 528 512 4 0 uniform
BENCH(tree_of_512, float, float) {
    __shared__ float s[512];
    u32 t = threadIdx.x, base = blockIdx.x * 512 * n;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[base + k * 512 + t];
    s[t] = sum;
    __syncthreads();
    for (u32 d = 256; d; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) c[blockIdx.x] = s[0];
}

// Sum of squares: the grid strides, lanes shuffle, a lane of each warp adds to one word.
//: lanes_then_atomic lanes_then_atomic 396 256 4194304 0 uniform
BENCH(lanes_then_atomic, float, float) {
    float sum = 0;
    for (u32 i = TID; i < n; i += SPAN) sum = fmaf(a[i], a[i], sum);
    sum = warp_total(sum);
    if (threadIdx.x % 32 == 0) atomicAdd(c, sum);
}

// Counts of bytes, in shared memory, then added to those of all; n words of a thread.
//: byte_bins_shared byte_bins_shared 132 256 32 0 below 2147483648
BENCH(byte_bins_shared, u32, u32) {
    __shared__ u32 bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < n; k++) {
        u32 w = a[TID + k * SPAN];
        atomicAdd(&bins[w & 255], 1u);
        atomicAdd(&bins[w >> 8 & 255], 1u);
        atomicAdd(&bins[w >> 16 & 255], 1u);
        atomicAdd(&bins[w >> 24], 1u);
    }
    __syncthreads();
    atomicAdd(&c[threadIdx.x], bins[threadIdx.x]);
}

// Counts of a skewed spread straight in global memory; n words of a thread, m bins.
//: skew_bins_global skew_bins_global 264 256 8 50000 uniform
BENCH(skew_bins_global, float, u32) {
    for (int k = 0; k < n; k++) {
        float u = a[TID + k * SPAN];
        atomicAdd(&c[(u32)(u * u * u * m)], 1u);
    }
}

// Reads of shared memory with lanes m words apart.
//: bank_by_8 bank_by 132 256 192 8 uniform
BENCH(bank_by, float, float) {
    __shared__ float s[1024];
    for (u32 i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = a[i];
    __syncthreads();
    float sum = 0;
    u32 at = threadIdx.x * m;
    for (int k = 0; k < n; k++, at += 33) sum += s[at & 1023];
    c[TID] = sum;
}

// A padded tile turned over n times between two places of shared memory.
//: tile_flips tile_flips 132 256 32 0 uniform
BENCH(tile_flips, float, float) {
    __shared__ float s[2][32][33];
    int x = threadIdx.x % 32, y = threadIdx.x / 32, base = blockIdx.x * 1024;
    for (int i = 0; i < 32; i += 8) s[0][y + i][x] = a[base + (y + i) * 32 + x];
    __syncthreads();
    for (int r = 0; r < n; r++) {
        for (int i = 0; i < 32; i += 8) s[~r & 1][y + i][x] = s[r & 1][x][y + i] * 0.99f + 0.01f * x;
        __syncthreads();
    }
    for (int i = 0; i < 32; i += 8) c[base + (y + i) * 32 + x] = s[n & 1][y + i][x];
}

// --- Layers ------------------------------------------------------------------------------------------------------------------------
// Softmax of a row by a block of 256, three passes over memory; n words of a row.
//: softmax_block_1536 softmax_block 528 256 1536 0 uniform
BENCH(softmax_block, float, float) {
    __shared__ float part[8];
    const float* row = a + blockIdx.x * n;
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float top = -1e30f, sum = 0;
    for (int i = t; i < n; i += 256) top = fmaxf(top, row[i]);
    top = warp_peak(top);
    if (lane == 0) part[warp] = top;
    __syncthreads();
    for (int i = 0; i < 8; i++) top = fmaxf(top, part[i]);
    __syncthreads();
    for (int i = t; i < n; i += 256) sum += expf(row[i] - top);
    sum = warp_total(sum);
    if (lane == 0) part[warp] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < 8; i++) sum += part[i];
    float scale = 1.0f / sum;
    for (int i = t; i < n; i += 256) c[blockIdx.x * n + i] = expf(row[i] - top) * scale;
}

// Layer norm of rows of 384 by a warp each; n rows.
//: layernorm_of_warp_384 layernorm_of_warp 264 128 4224 0 uniform
BENCH(layernorm_of_warp, float, float) {
    int lane = threadIdx.x % 32;
    for (int row = TID / 32; row < n; row += SPAN / 32) {
        const float* from = a + row * 384;
        float v[12], sum = 0, square = 0;
        for (int i = 0; i < 12; i++) sum += v[i] = from[lane + 32 * i];
        float mean = warp_total(sum) * (1.0f / 384);
        for (int i = 0; i < 12; i++) v[i] -= mean, square += v[i] * v[i];
        float scale = rsqrtf(warp_total(square) * (1.0f / 384) + 1e-5f);
        for (int i = 0; i < 12; i++) c[row * 384 + lane + 32 * i] = v[i] * scale * b[lane + 32 * i] + b[512 + lane + 32 * i];
    }
}

// --- Dense products ----------------------------------------------------------------------------------------------------------------
// A word of the product by a thread, all from global memory; n of K, m columns.
//: gemm_plain_192 gemm_plain 144 256 192 192 uniform
BENCH(gemm_plain, float, float) {
    int row = TID / m, col = TID % m;
    float sum = 0;
    for (int k = 0; k < n; k++) sum = fmaf(a[row * n + k], b[k * m + col], sum);
    c[row * m + col] = sum;
}

// Tiles of 64x64 by 256 threads, 4x4 of a thread, slabs of 16, float4 throughout; n of K, m columns.
//: gemm_regs_4x4 gemm_regs 128 256 128 1024 uniform
BENCH(gemm_regs, float, float4) {
    __shared__ float4 xs[16][17], ys[16][16];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row = blockIdx.x / (m / 64) * 64, col = blockIdx.x % (m / 64) * 64;
    float acc[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        float4 p = *(const float4*)&a[(row + t / 4) * n + k + t % 4 * 4];
        ((float*)xs[t % 4 * 4 + 0])[t / 4] = p.x;
        ((float*)xs[t % 4 * 4 + 1])[t / 4] = p.y;
        ((float*)xs[t % 4 * 4 + 2])[t / 4] = p.z;
        ((float*)xs[t % 4 * 4 + 3])[t / 4] = p.w;
        ys[ty][tx] = *(const float4*)&b[(k + ty) * m + col + tx * 4];
        __syncthreads();
#pragma unroll
        for (int s = 0; s < 16; s++) {
            float4 u = xs[s][ty], v = ys[s][tx];
            float us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) acc[i][j] = fmaf(us[i], vs[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        c[((row + ty * 4 + i) * m + col) / 4 + tx] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

// Product in f64 of matrices stored in f32, tiles of 16x16; n of K, m columns.
//: dgemm_shared_16 dgemm_shared 100 256 160 160 uniform
BENCH(dgemm_shared, float, double) {
    __shared__ double x[16][16], y[16][16];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row = blockIdx.x / (m / 16) * 16 + ty, col = blockIdx.x % (m / 16) * 16 + tx;
    double sum = 0;
    for (int k = 0; k < n; k += 16) {
        x[ty][tx] = a[row * n + k + tx];
        y[ty][tx] = b[(k + ty) * m + col];
        __syncthreads();
        for (int s = 0; s < 16; s++) sum += x[ty][s] * y[s][tx];
        __syncthreads();
    }
    c[row * m + col] = sum;
}

// Matrix by vector, a row by a warp; n float4 of a row.
//: matvec_warp_768 matvec_warp 528 256 192 0 uniform
BENCH(matvec_warp, float4, float) {
    const float4* x = (const float4*)b;
    int lane = threadIdx.x % 32, row = TID / 32;
    float sum = 0;
    for (int i = lane; i < n; i += 32) {
        float4 p = a[row * n + i], q = x[i];
        sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    sum = warp_total(sum);
    if (lane == 0) c[row] = sum;
}

// --- Stencils and pictures ---------------------------------------------------------------------------------------------------------
// A line, eight neighbours on each side, from shared memory; n tiles of a block.
//: radius_8_line radius_8_line 528 256 4 0 uniform
BENCH(radius_8_line, float, float) {
    __shared__ float s[272];
    int t = threadIdx.x;
    for (int tile = blockIdx.x; tile < gridDim.x * n; tile += gridDim.x) {
        int base = tile * 256;
        s[t + 8] = a[base + t + 8];
        if (t < 8) s[t] = a[base + t];
        if (t >= 248) s[t + 16] = a[base + t + 16];
        __syncthreads();
        float sum = 0.2f * s[t + 8];
        for (int r = 1; r <= 8; r++) sum += (s[t + 8 - r] + s[t + 8 + r]) * (0.1f / r);
        c[base + t] = sum;
        __syncthreads();
    }
}

// Seven points of a volume, planes of 32x8 in shared memory, marching through z; n planes, m words of a row, 128 rows.
//: heat3d_march heat3d_march 128 256 32 256 uniform
BENCH(heat3d_march, float, float) {
    __shared__ float s[10][34];
    int x = threadIdx.x % 32, y = threadIdx.x / 32, gx = blockIdx.x % (m / 32) * 32 + x, gy = blockIdx.x / (m / 32) * 8 + y, plane = m * 128;
    int left = gx ? -1 : 0, right = gx < m - 1 ? 1 : 0, up = gy ? -m : 0, down = gy < 127 ? m : 0, at = plane + gy * m + gx;
    float below = a[at - plane], here = a[at];
    for (int z = 1; z < n - 1; z++, at += plane) {
        float above = a[at + plane];
        s[y + 1][x + 1] = here;
        if (x == 0) s[y + 1][0] = a[at + left];
        if (x == 31) s[y + 1][33] = a[at + right];
        if (y == 0) s[0][x + 1] = a[at + up];
        if (y == 7) s[9][x + 1] = a[at + down];
        __syncthreads();
        c[at] = 0.4f * here + 0.1f * (below + above + s[y][x + 1] + s[y + 2][x + 1] + s[y + 1][x] + s[y + 1][x + 2]);
        __syncthreads();
        below = here, here = above;
    }
}

// A picture turned by 0.6, bilinear; m pixels of a side.
//: rotate_bilinear rotate_bilinear 1024 256 0 512 uniform
BENCH(rotate_bilinear, float, float) {
    int x = TID % m, y = TID / m;
    float half = 0.5f * m, dx = x - half, dy = y - half;
    float sx = 0.82533561f * dx - 0.56464247f * dy + half, sy = 0.56464247f * dx + 0.82533561f * dy + half;
    float out = 0;
    if (sx >= 0 && sy >= 0 && sx < m - 1 && sy < m - 1) {
        int ix = (int)sx, iy = (int)sy;
        float fx = sx - ix, fy = sy - iy;
        const float* p = a + iy * m + ix;
        float above = p[0] + fx * (p[1] - p[0]), below = p[m] + fx * (p[m + 1] - p[m]);
        out = above + fy * (below - above);
    }
    c[TID] = out;
}

// The median of 3x3 by a network of exchanges; m pixels of a row, n rows.
#define TRADE(i, j) { float low = fminf(p[i], p[j]); p[j] = fmaxf(p[i], p[j]), p[i] = low; }
//: median_of_9 median_of_9 2048 256 512 1024 uniform
BENCH(median_of_9, float, float) {
    int x = TID % m, y = TID / m, left = max(x - 1, 0), right = min(x + 1, m - 1);
    float p[9];
    for (int i = 0; i < 3; i++) {
        const float* row = a + min(max(y + i - 1, 0), n - 1) * m;
        p[i * 3] = row[left], p[i * 3 + 1] = row[x], p[i * 3 + 2] = row[right];
    }
    TRADE(1, 2) TRADE(4, 5) TRADE(7, 8) TRADE(0, 1) TRADE(3, 4) TRADE(6, 7) TRADE(1, 2) TRADE(4, 5) TRADE(7, 8) TRADE(0, 3)
    TRADE(5, 8) TRADE(4, 7) TRADE(3, 6) TRADE(1, 4) TRADE(2, 5) TRADE(4, 7) TRADE(4, 2) TRADE(6, 4) TRADE(4, 2)
    c[TID] = p[4];
}

// --- Scans, sorts, transforms ------------------------------------------------------------------------------------------------------
// Running sums by one block: up and down the tree of 1024, n tiles one after the other.
//: scan_up_down_1024 scan_up_down 1 512 24 0 uniform
BENCH(scan_up_down, float, float) {
    __shared__ float s[1024];
    int t = threadIdx.x;
    float carry = 0;
    for (int tile = 0; tile < n; tile++) {
        s[2 * t] = a[tile * 1024 + 2 * t];
        s[2 * t + 1] = a[tile * 1024 + 2 * t + 1];
        int far = 1;
        for (int d = 512; d; d >>= 1, far *= 2) {
            __syncthreads();
            if (t < d) s[far * (2 * t + 2) - 1] += s[far * (2 * t + 1) - 1];
        }
        __syncthreads();
        float total = s[1023];
        __syncthreads();
        if (t == 0) s[1023] = 0;
        for (int d = 1; d < 1024; d *= 2) {
            far >>= 1;
            __syncthreads();
            if (t < d) {
                int i = far * (2 * t + 1) - 1, j = far * (2 * t + 2) - 1;
                float low = s[i];
                s[i] = s[j];
                s[j] += low;
            }
        }
        __syncthreads();
        c[tile * 1024 + 2 * t] = carry + s[2 * t];
        c[tile * 1024 + 2 * t + 1] = carry + s[2 * t + 1];
        carry += total;
    }
}

// Bitonic sort of 1024 keys in shared memory by 512 threads.
//: bitonic_1024_in_block bitonic_in_block 66 512 0 0 below 2147483648
BENCH(bitonic_in_block, u32, u32) {
    __shared__ u32 s[1024];
    u32 t = threadIdx.x, base = blockIdx.x * 1024;
    s[t] = a[base + t];
    s[t + 512] = a[base + t + 512];
    __syncthreads();
    for (u32 size = 2; size <= 1024; size *= 2)
        for (u32 d = size / 2; d; d >>= 1) {
            u32 i = 2 * t - (t & (d - 1)), p = s[i], q = s[i + d];
            if ((p > q) == ((i & size) == 0)) s[i] = q, s[i + d] = p;
            __syncthreads();
        }
    c[base + t] = s[t];
    c[base + t + 512] = s[t + 512];
}

// Stockham's transform of 256 points in shared memory by 128 threads, radix 2, twiddles computed; n transforms of a block.
//: fft256_in_shared fft256_in_shared 264 128 2 0 uniform
BENCH(fft256_in_shared, float2, float2) {
    __shared__ float2 s[2][256];
    int t = threadIdx.x;
    for (int k = 0; k < n; k++) {
        int base = (blockIdx.x * n + k) * 256, from = 0;
        s[0][t] = a[base + t];
        s[0][t + 128] = a[base + t + 128];
        __syncthreads();
        for (int l = 1; l < 256; l *= 2, from ^= 1) {
            int low = t & (l - 1), to = 2 * t - low;
            float sn, cs;
            __sincosf(-3.14159265f * low / l, &sn, &cs);
            float2 u = s[from][t], v = s[from][t + 128];
            float re = v.x * cs - v.y * sn, im = v.x * sn + v.y * cs;
            s[from ^ 1][to] = make_float2(u.x + re, u.y + im);
            s[from ^ 1][to + l] = make_float2(u.x - re, u.y - im);
            __syncthreads();
        }
        c[base + t] = s[0][t];
        c[base + t + 128] = s[0][t + 128];
        __syncthreads();
    }
}

// Insertion sort of 16 words of a thread in an array that stays in local memory.
//: insertion_16_local insertion_16_local 132 128 0 0 below 2147483648
BENCH(insertion_16_local, u32, u32) {
    u32 v[16];
#pragma unroll 1
    for (int i = 0; i < 16; i++) {
        u32 key = a[TID + i * SPAN];
        int j = i;
        for (; j > 0 && v[j - 1] > key; j--) v[j] = v[j - 1];
        v[j] = key;
    }
#pragma unroll 1
    for (int i = 0; i < 16; i++) c[TID + i * SPAN] = v[i];
}

// --- Science -----------------------------------------------------------------------------------------------------------------------
// Gravity of all on all, tiles of 128 in shared memory; n bodies.
//: bodies_of_8_blocks bodies_tiled 8 128 1024 0 uniform
BENCH(bodies_tiled, float4, float4) {
    __shared__ float4 s[128];
    const float4* all = (const float4*)b;
    float4 me = a[TID];
    float x = 0, y = 0, z = 0;
    for (int tile = 0; tile < n; tile += 128) {
        s[threadIdx.x] = all[tile + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 128; j++) {
            float4 it = s[j];
            float dx = it.x - me.x, dy = it.y - me.y, dz = it.z - me.z;
            float near = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), pull = it.w * near * near * near;
            x += dx * pull, y += dy * pull, z += dz * pull;
        }
        __syncthreads();
    }
    c[TID] = make_float4(x, y, z, me.w);
}

// Sparse matrix by vector, a row of 5 to 19 by a thread; values in b from 2^20 on.
//: csr_scalar_rows csr_scalar_rows 264 128 0 0 below 262144
BENCH(csr_scalar_rows, u32, float) {
    u32 row = TID, from = row * 12 + (row * 2654435761u >> 29), to = row * 12 + 12 + ((row + 1) * 2654435761u >> 29);
    float sum = 0;
    for (u32 k = from; k < to; k++) sum += b[(1 << 20) + k] * b[a[k]];
    c[row] = sum;
}

// A level of a search through a graph: one vertex of eight is in front, has 4 to 16 neighbours; those not seen go to a queue.
//: frontier_expand frontier_expand 528 256 0 0 below 1048576
BENCH(frontier_expand, u32, u32) {
    const u32* seen = (const u32*)b;
    u32 v = TID, word = a[v];
    if (word % 8) return;
    u32 degree = 4 + (word >> 3) % 13;
    for (u32 k = 0; k < degree; k++) {
        u32 w = a[v * 16 + k];
        if (seen[w / 32] >> w % 32 & 1) continue;
        u32 place = atomicAdd(c, 1u);
        c[64 + (place & 0xfffff)] = w;
    }
}

// LU of a 64x64 tile in shared memory by 256 threads, without pivots.
//: lu_64_one_tile lu_64_tile 8 256 0 0 uniform
BENCH(lu_64_tile, float, float) {
    __shared__ float s[64][65];
    int t = threadIdx.x, col = t % 64, base = blockIdx.x * 4096;
    for (int i = t / 64; i < 64; i += 4) s[i][col] = a[base + i * 64 + col] + (i == col ? 64.0f : 0.0f);
    __syncthreads();
    for (int k = 0; k < 63; k++) {
        if (t > k && t < 64) s[t][k] /= s[k][k];
        __syncthreads();
        if (col > k)
            for (int i = k + 1 + t / 64; i < 64; i += 4) s[i][col] -= s[i][k] * s[k][col];
        __syncthreads();
    }
    for (int i = t / 64; i < 64; i += 4) c[base + i * 64 + col] = s[i][col];
}

// Thomas's solver, a system of a thread, systems interleaved; n unknowns.
//: thomas_columns thomas_columns 66 64 64 0 uniform
BENCH(thomas_columns, float, float) {
    float* upper = c;
    float* right = c + (1 << 20);
    float u = 0, d = 0, x = 0;
    for (int k = 0; k < n; k++) {
        u32 at = k * SPAN + TID;
        float lower = a[at], inverse = 1.0f / (4.0f + b[at] - lower * u);
        u = b[at + (1 << 20)] * inverse;
        d = (a[at + (1 << 20)] - lower * d) * inverse;
        upper[at] = u;
        right[at] = d;
    }
    for (int k = n - 1; k >= 0; k--) {
        u32 at = k * SPAN + TID;
        x = right[at] - upper[at] * x;
        right[at] = x;
    }
}

// --- Bits --------------------------------------------------------------------------------------------------------------------------
// Codes of 1 to 17 bits, of a thread's own stream of at most 40 words, one after the other; n codes.
//: prefix_code_bits prefix_code_bits 132 128 64 0 below 2147483648
BENCH(prefix_code_bits, u32, u32) {
    const u32* in = a + TID * 40;
    u64 window = (u64)in[0] << 32 | in[1];
    u32 sum = 0;
    int held = 64, next = 2;
    for (int k = 0; k < n; k++) {
        int zeros = min(__clzll((long long)window), 8), length = 2 * zeros + 1;
        sum = sum * 31 + (u32)(window >> (64 - length));
        window <<= length;
        held -= length;
        if (held <= 32) {
            window |= (u64)in[next++] << (32 - held);
            held += 32;
        }
    }
    c[TID] = sum;
}

// Ten rounds of a cipher by four tables in shared memory, as AES has them; n pieces of 16 bytes of a thread.
//: cipher_tables cipher_tables 132 256 2 0 below 2147483648
BENCH(cipher_tables, uint4, uint4) {
    __shared__ u32 table[4][256];
    u32 t = threadIdx.x, word = t * 2654435761u ^ t << 7;
    for (int i = 0; i < 4; i++) table[i][t] = word, word = word << 8 | word >> 24;
    __syncthreads();
    for (int k = 0; k < n; k++) {
        uint4 s = a[TID + k * SPAN];
        for (int r = 0; r < 10; r++) {
            uint4 key = ((const uint4*)b)[r], o;
            o.x = table[0][s.x >> 24] ^ table[1][s.y >> 16 & 255] ^ table[2][s.z >> 8 & 255] ^ table[3][s.w & 255] ^ key.x;
            o.y = table[0][s.y >> 24] ^ table[1][s.z >> 16 & 255] ^ table[2][s.w >> 8 & 255] ^ table[3][s.x & 255] ^ key.y;
            o.z = table[0][s.z >> 24] ^ table[1][s.w >> 16 & 255] ^ table[2][s.x >> 8 & 255] ^ table[3][s.y & 255] ^ key.z;
            o.w = table[0][s.w >> 24] ^ table[1][s.x >> 16 & 255] ^ table[2][s.y >> 8 & 255] ^ table[3][s.z & 255] ^ key.w;
            s = o;
        }
        c[TID + k * SPAN] = s;
    }
}
