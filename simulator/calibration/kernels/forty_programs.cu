// Forty kernels of forty kinds, written apart from the clock and without a look at what it says of them: they judged it blind, once, and it may
// learn from them since.
//
// Every kernel has the parameters (a, b, c, n, m). A line that begins with `//:` is a row: a name, the kernel, blocks, threads of
// a block, n, m, and what `a` holds: `zeros`, `uniform` (floats in [0, 1)) or `below N` (integers in [0, N)).
// `b` holds uniform floats, `c` zeros. A launch after another of the same row does the same work.
//
// requires: sm_80

typedef unsigned int u32;
typedef unsigned long long u64;
#define BENCH(name, A, C) extern "C" __global__ void name(const A* __restrict__ a, const float* __restrict__ b, C* __restrict__ c, int n, int m)
#define WIDE(name, most, A, C) extern "C" __global__ void __launch_bounds__(most) name(const A* __restrict__ a, const float* __restrict__ b, C* __restrict__ c, int n, int m)
#define TID (blockIdx.x * blockDim.x + threadIdx.x)
#define ALL 0xffffffffu

__device__ __forceinline__ float lanes_sum(float x) {
    for (int d = 16; d; d >>= 1) x += __shfl_xor_sync(ALL, x, d);
    return x;
}
__device__ __forceinline__ float lanes_max(float x) {
    for (int d = 16; d; d >>= 1) x = fmaxf(x, __shfl_xor_sync(ALL, x, d));
    return x;
}

// --- Dense products --------------------------------------------------------------------------------------------------------------
// Product of bytes by dp4a: tiles of 64x128, slabs of 8 words; n words of K, m columns.
//: q8_tile_dp4a q8_tile_dp4a 96 256 192 1024 below 2147483648
BENCH(q8_tile_dp4a, int, int) {
    __shared__ int x[8][65], y[8][129];
    int t = threadIdx.x, row = blockIdx.x / (m / 128) * 64, col = blockIdx.x % (m / 128) * 128;
    const int* w = (const int*)b;
    int acc[4][8] = {};
    for (int k = 0; k < n; k += 8) {
        for (int i = t; i < 512; i += 256) x[i % 8][i / 8] = a[(row + i / 8) * n + k + i % 8];
        for (int i = t; i < 1024; i += 256) y[i % 8][i / 8] = w[(col + i / 8) * n + k + i % 8];
        __syncthreads();
#pragma unroll
        for (int s = 0; s < 8; s++) {
            int p[4], q[8];
            for (int i = 0; i < 4; i++) p[i] = x[s][t / 16 * 4 + i];
            for (int j = 0; j < 8; j++) q[j] = y[s][t % 16 + 16 * j];
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 8; j++) acc[i][j] = __dp4a(p[i], q[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 8; j++) c[(row + t / 16 * 4 + i) * m + col + t % 16 + 16 * j] = acc[i][j];
}

__device__ __forceinline__ u32 pack_half2(float2 v) {
    u32 h;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(h) : "f"(v.y), "f"(v.x));
    return h;
}
__device__ __forceinline__ u32 fma_half2(u32 x, u32 y, u32 z) {
    u32 h;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(h) : "r"(x), "r"(y), "r"(z));
    return h;
}
// Product in half2, pairs along K: tiles of 32x96 by 192 threads, floats converted on the way in; n pairs of K, m columns.
//: h2_rect_tile h2_rect_tile 80 192 256 768 uniform
BENCH(h2_rect_tile, float2, u32) {
    __shared__ u32 x[16][33], y[16][97];
    int t = threadIdx.x, row = blockIdx.x / (m / 96) * 32, col = blockIdx.x % (m / 96) * 96;
    const float2* w = (const float2*)b;
    u32 acc[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int i = t; i < 512; i += 192) x[i % 16][i / 16] = pack_half2(a[(row + i / 16) * n + k + i % 16]);
        for (int i = t; i < 1536; i += 192) y[i % 16][i / 16] = pack_half2(w[(col + i / 16) * n + k + i % 16]);
        __syncthreads();
#pragma unroll
        for (int s = 0; s < 16; s++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) acc[i][j] = fma_half2(x[s][t / 24 + 8 * i], y[s][t % 24 + 24 * j], acc[i][j]);
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) c[(row + t / 24 + 8 * i) * m + col + t % 24 + 24 * j] = acc[i][j];
}

// Product in f64 of matrices stored in f32: tiles of 32x32 by 128 threads, 2x4 of a thread; n of K, m columns.
//: f64_tile_2x4 f64_tile_2x4 120 128 384 320 uniform
BENCH(f64_tile_2x4, float, double) {
    __shared__ double x[16][33], y[16][32];
    int t = threadIdx.x, row = blockIdx.x / (m / 32) * 32, col = blockIdx.x % (m / 32) * 32;
    double acc[2][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int i = t; i < 512; i += 128) {
            x[i % 16][i / 16] = a[(row + i / 16) * n + k + i % 16];
            y[i / 32][i % 32] = b[(k + i / 32) * m + col + i % 32];
        }
        __syncthreads();
        for (int s = 0; s < 16; s++)
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 4; j++) acc[i][j] += x[s][t / 8 + 16 * i] * y[s][t % 8 + 8 * j];
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++) c[(row + t / 8 + 16 * i) * m + col + t % 8 + 8 * j] = acc[i][j];
}

// Product of bit matrices, +1 and -1, by xor and popc: tiles of 32x32, slabs of 32 words; n words of K, m columns.
//: bit_matrix_popc bit_matrix_popc 256 256 128 512 below 2147483648
BENCH(bit_matrix_popc, u32, int) {
    __shared__ u32 x[32][33], y[32][33];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = blockIdx.x / (m / 32) * 32, col = blockIdx.x % (m / 32) * 32;
    int acc[4] = {};
    for (int k = 0; k < n; k += 32) {
        for (int i = warp; i < 32; i += 8) {
            x[i][lane] = a[(row + i) * n + k + lane];
            y[i][lane] = __float_as_uint(b[(col + i) * n + k + lane]);
        }
        __syncthreads();
        for (int s = 0; s < 32; s++)
            for (int i = 0; i < 4; i++) acc[i] += __popc(x[warp * 4 + i][s] ^ y[lane][s]);
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) c[(row + warp * 4 + i) * m + col + lane] = 32 * n - 2 * acc[i];
}

// --- Layers of networks ------------------------------------------------------------------------------------------------------------
// Attention with a running maximum: a warp has a query of 64, a block stages 32 keys and values at a time; n keys of a head.
//: attend_running attend_running 192 256 256 0 uniform
BENCH(attend_running, float, float) {
    __shared__ float q[8][64], key[32][65], value[32][64];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, query = blockIdx.x * 8 + warp, head = blockIdx.x * 8 / n;
    q[warp][lane] = a[query * 64 + lane];
    q[warp][lane + 32] = a[query * 64 + lane + 32];
    float top = -1e30f, total = 0, o0 = 0, o1 = 0;
    for (int k = 0; k < n; k += 32) {
        const float* from = b + (head * n + k) * 64;
        for (int i = threadIdx.x; i < 2048; i += 256) key[i / 64][i % 64] = from[i], value[i / 64][i % 64] = from[i + (1 << 20)];
        __syncthreads();
        float dot = 0;
        for (int d = 0; d < 64; d++) dot += q[warp][d] * key[lane][d];
        float next = fmaxf(top, lanes_max(dot *= 0.125f)), p = __expf(dot - next), fade = __expf(top - next);
        total = total * fade + lanes_sum(p);
        o0 *= fade, o1 *= fade, top = next;
        for (int j = 0; j < 32; j++) {
            float w = __shfl_sync(ALL, p, j);
            o0 += w * value[j][lane], o1 += w * value[j][lane + 32];
        }
        __syncthreads();
    }
    c[query * 64 + lane] = o0 / total;
    c[query * 64 + lane + 32] = o1 / total;
}

// Softmax of rows that no power of two divides, a row kept in the registers of 128 threads; n of a row, at most 1024.
//: softmax_row_1000 softmax_row_1000 3000 128 1000 0 uniform
BENCH(softmax_row_1000, float, float) {
    __shared__ float part[2][4];
    float v[8], top = -1e30f, sum = 0;
    const float* row = a + blockIdx.x * n;
    for (int i = 0, x = threadIdx.x; i < 8; i++, x += 128) top = fmaxf(top, v[i] = x < n ? row[x] : -1e30f);
    top = lanes_max(top);
    if (threadIdx.x % 32 == 0) part[0][threadIdx.x / 32] = top;
    __syncthreads();
    top = fmaxf(fmaxf(part[0][0], part[0][1]), fmaxf(part[0][2], part[0][3]));
    for (int i = 0; i < 8; i++) sum += v[i] = expf(v[i] - top);
    sum = lanes_sum(sum);
    if (threadIdx.x % 32 == 0) part[1][threadIdx.x / 32] = sum;
    __syncthreads();
    float scale = 1 / (part[1][0] + part[1][1] + part[1][2] + part[1][3]);
    for (int i = 0, x = threadIdx.x; i < 8; i++, x += 128)
        if (x < n) c[blockIdx.x * n + x] = v[i] * scale;
}

// RMS norm of rows of 1536 with weights: two float4 of each of 192 threads.
//: rms_rows_1536 rms_rows_1536 6000 192 0 0 uniform
BENCH(rms_rows_1536, float4, float4) {
    __shared__ float part[6];
    int t = threadIdx.x, at = blockIdx.x * 384 + t;
    float4 x = a[at], y = a[at + 192];
    float sum = lanes_sum(x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w + y.x * y.x + y.y * y.y + y.z * y.z + y.w * y.w);
    if (t % 32 == 0) part[t / 32] = sum;
    __syncthreads();
    float r = rsqrtf((part[0] + part[1] + part[2] + part[3] + part[4] + part[5]) / 1536 + 1e-5f);
    float4 g = ((const float4*)b)[t], h = ((const float4*)b)[t + 192];
    c[at] = make_float4(x.x * r * g.x, x.y * r * g.y, x.z * r * g.z, x.w * r * g.w);
    c[at + 192] = make_float4(y.x * r * h.x, y.y * r * h.y, y.z * r * h.z, y.w * r * h.w);
}

// Weights of four bits to floats, a scale for each 32 of them: a thread reads a word and writes two float4.
//: int4_to_float int4_to_float 16384 128 2097152 0 below 2147483648
BENCH(int4_to_float, u32, float4) {
    u32 i = TID;
    if (i >= n) return;
    u32 w = a[i];
    float s = b[i / 4], v[8];
    for (int k = 0; k < 8; k++) v[k] = ((int)(w >> 4 * k & 15) - 8) * s;
    c[2 * i] = make_float4(v[0], v[1], v[2], v[3]);
    c[2 * i + 1] = make_float4(v[4], v[5], v[6], v[7]);
}

// Sums of 8 to 23 rows of a table, 64 floats each: a warp has a bag.
//: bag_of_rows bag_of_rows 1024 256 8192 0 below 131072
BENCH(bag_of_rows, u32, float2) {
    u32 bag = TID / 32, lane = TID % 32;
    if (bag >= n) return;
    const float2* table = (const float2*)b;
    const u32* list = a + n + bag * 24;
    int count = 8 + (a[bag] & 15);
    float2 sum = make_float2(0, 0);
    for (int k = 0; k < count; k++) {
        float2 v = table[list[k] * 32 + lane];
        sum.x += v.x, sum.y += v.y;
    }
    c[bag * 32 + lane] = make_float2(sum.x / count, sum.y / count);
}

// The six greatest of each row of 512: a warp has a row, 16 values of a lane in registers.
//: top6_of_row top6_of_row 8192 32 0 0 uniform
BENCH(top6_of_row, float, float) {
    u32 row = blockIdx.x, lane = threadIdx.x;
    float v[16];
#pragma unroll
    for (int i = 0; i < 16; i++) v[i] = a[row * 512 + i * 32 + lane];
    for (int k = 0; k < 6; k++) {
        float best = v[0];
#pragma unroll
        for (int i = 1; i < 16; i++) best = fmaxf(best, v[i]);
        float top = lanes_max(best);
        u32 owner = __ffs(__ballot_sync(ALL, best == top)) - 1;
        if (lane == owner) {
            c[row * 6 + k] = top;
#pragma unroll
            for (int i = 0; i < 16; i++)
                if (v[i] == top) v[i] = -1;
        }
    }
}

// --- Small systems -----------------------------------------------------------------------------------------------------------------
// LU of matrices of 12x12 in shared memory, a warp each, without pivots.
//: lu_12_of_warp lu_12_of_warp 512 128 0 0 uniform
BENCH(lu_12_of_warp, float, float) {
    __shared__ float all[4][12 * 13];
    int lane = threadIdx.x % 32, at = TID / 32 * 144;
    float* s = all[threadIdx.x / 32];
    for (int i = lane; i < 144; i += 32) s[i / 12 * 13 + i % 12] = a[at + i] + (i % 13 == 0 ? 12.0f : 0.0f);
    __syncwarp();
    for (int k = 0; k < 11; k++) {
        if (lane > k && lane < 12) s[lane * 13 + k] /= s[k * 13 + k];
        __syncwarp();
        int rest = 11 - k;
        for (int i = lane; i < rest * rest; i += 32) {
            int y = k + 1 + i / rest, x = k + 1 + i % rest;
            s[y * 13 + x] -= s[y * 13 + k] * s[k * 13 + x];
        }
        __syncwarp();
    }
    for (int i = lane; i < 144; i += 32) c[at + i] = s[i / 12 * 13 + i % 12];
}

// Lower triangular systems of 32, a warp each and a row of a lane: what is known goes round by shuffles; n solves, one from the other.
//: lower_32_shuffled lower_32_shuffled 48 64 8 0 uniform
BENCH(lower_32_shuffled, float, float) {
    u32 lane = TID % 32, system = TID / 32;
    const float* l = a + system * 1024;
    float x = b[TID], pivot = 1 / (l[lane * 33] + 16.0f);
    for (int r = 0; r < n; r++) {
        float rest = x;
        for (int j = 0; j < 32; j++) {
            float known = __shfl_sync(ALL, rest * pivot, j);
            if (lane == j) x = known;
            if (lane > j) rest -= l[j * 32 + lane] * known;
        }
    }
    c[TID] = x;
}

// Tridiagonal system of 1024 by cyclic reduction in parallel in one block; n systems, one after the other.
//: cyclic_reduce_1024 cyclic_reduce_1024 1 1024 3 0 uniform
WIDE(cyclic_reduce_1024, 1024, float, float) {
    __shared__ float lo[1024], mid[1024], hi[1024], rhs[1024];
    int t = threadIdx.x;
    for (int system = 0; system < n; system++) {
        int at = system * 1024 + t;
        float l = t > 0 ? -a[at] : 0.0f, d = 2.5f, h = t < 1023 ? -b[at] : 0.0f, r = a[at + 65536];
        for (int step = 1; step < 1024; step *= 2) {
            lo[t] = l, mid[t] = d, hi[t] = h, rhs[t] = r;
            __syncthreads();
            int up = max(t - step, 0), down = min(t + step, 1023);
            float p = t >= step ? l / mid[up] : 0.0f, q = t + step < 1024 ? h / mid[down] : 0.0f;
            d -= p * hi[up] + q * lo[down];
            r -= p * rhs[up] + q * rhs[down];
            l = -p * lo[up], h = -q * hi[down];
            __syncthreads();
        }
        c[at] = r / d;
    }
}

// --- Transforms, sorting, scans -------------------------------------------------------------------------------------------------------
// FFT of 1024 points in shared memory: five radix-4 steps of Stockham's by 256 threads.
//: fft_1024_radix4 fft_1024_radix4 1600 256 0 0 uniform
BENCH(fft_1024_radix4, float2, float2) {
    __shared__ float2 s[1024];
    int t = threadIdx.x;
    float2 v[4];
    for (int i = 0; i < 4; i++) v[i] = a[blockIdx.x * 1024 + t + 256 * i];
    for (int p = 1; p < 1024; p *= 4) {
        int k = t & (p - 1), to = (t - k) * 4 + k;
        for (int i = 1; i < 4; i++) {
            float sine, cosine;
            __sincosf(-1.57079633f * k * i / p, &sine, &cosine);
            v[i] = make_float2(v[i].x * cosine - v[i].y * sine, v[i].x * sine + v[i].y * cosine);
        }
        float2 e = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), f = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
        float2 g = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), h = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
        __syncthreads();
        s[to] = make_float2(e.x + g.x, e.y + g.y), s[to + p] = make_float2(f.x + h.x, f.y + h.y);
        s[to + 2 * p] = make_float2(e.x - g.x, e.y - g.y), s[to + 3 * p] = make_float2(f.x - h.x, f.y - h.y);
        __syncthreads();
        for (int i = 0; i < 4; i++) v[i] = s[t + 256 * i];
    }
    for (int i = 0; i < 4; i++) c[blockIdx.x * 1024 + t + 256 * i] = v[i];
}

// Bitonic sort of 2048 keys in shared memory by 1024 threads.
//: bitonic_2048 bitonic_2048 160 1024 0 0 below 2147483648
WIDE(bitonic_2048, 1024, u32, u32) {
    __shared__ u32 s[2048];
    u32 t = threadIdx.x, base = blockIdx.x * 2048;
    s[t] = a[base + t], s[t + 1024] = a[base + t + 1024];
    for (u32 size = 2; size <= 2048; size *= 2)
        for (u32 d = size / 2; d; d /= 2) {
            __syncthreads();
            u32 i = 2 * t - (t & (d - 1)), x = s[i], y = s[i + d];
            if ((x > y) == ((i & size) == 0)) s[i] = y, s[i + d] = x;
        }
    __syncthreads();
    c[base + t] = s[t], c[base + t + 1024] = s[t + 1024];
}

// How often each digit of eight bits comes, a table of each warp in shared memory; n vectors of four keys, m the digit's place.
//: digit_tables digit_tables 264 256 1000000 8 below 2147483648
BENCH(digit_tables, uint4, u32) {
    __shared__ u32 table[8][256];
    for (int i = threadIdx.x; i < 2048; i += 256) table[0][i] = 0;
    __syncthreads();
    u32* mine = table[threadIdx.x / 32];
    for (u32 i = TID; i < n; i += gridDim.x * 256) {
        uint4 k = a[i];
        atomicAdd(&mine[k.x >> m & 255], 1), atomicAdd(&mine[k.y >> m & 255], 1);
        atomicAdd(&mine[k.z >> m & 255], 1), atomicAdd(&mine[k.w >> m & 255], 1);
    }
    __syncthreads();
    u32 sum = 0;
    for (int w = 0; w < 8; w++) sum += table[w][threadIdx.x];
    c[threadIdx.x * gridDim.x + blockIdx.x] = sum;
}

// Segmented sums from the left within blocks of 512: by shuffles in warps, then over warps; a head is one of 16.
//: segmented_scan_512 segmented_scan_512 2048 512 0 0 below 2147483648
BENCH(segmented_scan_512, u32, float) {
    __shared__ float sums[16];
    __shared__ int heads[16];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, head = (a[TID] >> 9 & 15) == 0;
    float v = b[TID], carry = 0;
    for (int d = 1; d < 32; d *= 2) {
        float u = __shfl_up_sync(ALL, v, d);
        int h = __shfl_up_sync(ALL, head, d);
        if (lane >= d) v += head ? 0.0f : u, head |= h;
    }
    if (lane == 31) sums[warp] = v, heads[warp] = head;
    __syncthreads();
    for (int w = 0; w < warp; w++) carry = heads[w] ? sums[w] : carry + sums[w];
    c[TID] = head ? v : v + carry;
}

// Keeps what is below 0.3: ballots in warps, a scan of 32 counts, one ticket of each block; n a power of two above what is kept.
//: keep_by_ballot keep_by_ballot 4000 256 2097152 0 uniform
BENCH(keep_by_ballot, float, float) {
    __shared__ u32 count[32], start;
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, kept[4];
    float v[4];
    for (int i = 0; i < 4; i++) {
        v[i] = a[blockIdx.x * 1024 + i * 256 + threadIdx.x];
        kept[i] = __ballot_sync(ALL, v[i] < 0.3f);
        if (lane == 0) count[i * 8 + warp] = __popc(kept[i]);
    }
    __syncthreads();
    if (warp == 0) {
        u32 mine = count[lane], sum = mine;
        for (int d = 1; d < 32; d *= 2) {
            u32 u = __shfl_up_sync(ALL, sum, d);
            if (lane >= d) sum += u;
        }
        count[lane] = sum - mine;
        if (lane == 31) start = atomicAdd((u32*)c, sum);
    }
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        u32 to = start + count[i * 8 + warp] + __popc(kept[i] & ((1u << lane) - 1));
        if (kept[i] >> lane & 1) c[32 + (to & (n - 1))] = v[i];
    }
}

// --- Sparse and irregular ------------------------------------------------------------------------------------------------------------
// Sparse matrix times vector, CSR with 9 to 23 of a row: a thread has a row; n rows.
//: csr_thread_of_row csr_thread_of_row 256 256 65536 0 below 262144
BENCH(csr_thread_of_row, u32, float) {
    u32 row = TID;
    if (row >= n) return;
    const u32* column = a + n + 1;
    const float* x = b + (8 << 20);
    u32 from = row * 16 + (a[row] & 7), to = row * 16 + 16 + (a[row + 1] & 7);
    float sum = 0;
    for (u32 k = from; k < to; k++) sum += b[k] * x[column[k]];
    c[row] = sum;
}

// Sparse matrix times vector, CSR with 17 to 143 of a row: a warp has a row; n rows.
//: csr_warp_of_row csr_warp_of_row 4096 128 16384 0 below 1048576
BENCH(csr_warp_of_row, u32, float) {
    u32 row = TID / 32, lane = TID % 32;
    if (row >= n) return;
    const u32* column = a + n + 1;
    const float* x = b + (8 << 20);
    u32 from = row * 80 + (a[row] & 63), to = row * 80 + 80 + (a[row + 1] & 63);
    float sum = 0;
    for (u32 k = from + lane; k < to; k += 32) sum += b[k] * x[column[k]];
    sum = lanes_sum(sum);
    if (lane == 0) c[row] = sum;
}

// A step of a breadth-first search: a thread has a vertex of the front with 1 to 15 edges; what is not seen yet goes to the next front.
//: bfs_next_front bfs_next_front 256 128 32768 0 below 1048576
BENCH(bfs_next_front, u32, u32) {
    if (TID >= n) return;
    const u32 *starts = a + 65536, *edges = a + (2 << 20), *seen = (const u32*)b;
    u32 *parent = c + 32, *queue = c + (2 << 20), v = a[TID];
    u32 from = v * 8 + (starts[v] & 7), to = v * 8 + 8 + (starts[v + 1] & 7);
    for (u32 e = from; e < to; e++) {
        u32 u = edges[e];
        if (seen[u / 32] >> u % 32 & 1) continue;
        atomicMax(&parent[u], v + 1);
        u32 with = __activemask(), first = __ffs(with) - 1, lane = threadIdx.x % 32, place = 0;
        if (lane == first) place = atomicAdd(c, __popc(with));
        place = __shfl_sync(with, place, first) + __popc(with & ((1u << lane) - 1));
        queue[place & ((1 << 20) - 1)] = u;
    }
}

// Puts n keys into a table of 2^20 places by compare-and-swap, the next place when one is taken.
//: hash_put hash_put 2048 256 524288 0 below 2147483648
BENCH(hash_put, u32, u32) {
    if (TID >= n) return;
    u32 key = a[TID] + 1, place = key * 2654435761u >> 12;
    while (true) {
        u32 was = atomicCAS(&c[place], 0, key);
        if (was == 0 || was == key) break;
        place = (place + 1) & ((1 << 20) - 1);
    }
}

// Forces of Lennard-Jones of 24 neighbours in a list, with a cut-off; n atoms.
//: lennard_jones_list lennard_jones_list 160 256 40960 0 below 65536
BENCH(lennard_jones_list, u32, float4) {
    u32 i = TID;
    if (i >= n) return;
    const float4* at = (const float4*)b;
    float4 p = at[i], f = make_float4(0, 0, 0, 0);
    for (int k = 0; k < 24; k++) {
        float4 q = at[a[k * n + i]];
        float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z, r2 = x * x + y * y + z * z + 0.01f;
        if (r2 < 0.4f) {
            float r = 1 / r2, r6 = r * r * r * 0.001f, s = r * r6 * (r6 - 0.5f);
            f.x += s * x, f.y += s * y, f.z += s * z, f.w += r6 * (r6 - 1);
        }
    }
    c[i] = f;
}

// Particles of seven floats each, read and written as structures: place, speed, mass; n particles.
//: particles_of_7 particles_of_7 20000 64 1280000 0 uniform
BENCH(particles_of_7, float, float) {
    if (TID >= n) return;
    const float* p = a + TID * 7;
    float* q = c + TID * 7;
    float w = 0.01f / (p[6] + 0.5f), vx = p[3] - w * p[0], vy = p[4] - w * p[1], vz = p[5] - w * p[2];
    q[0] = p[0] + 0.01f * vx, q[1] = p[1] + 0.01f * vy, q[2] = p[2] + 0.01f * vz;
    q[3] = vx, q[4] = vy, q[5] = vz, q[6] = p[6];
}

// --- Bytes and words -----------------------------------------------------------------------------------------------------------------
// Where four letters of an alphabet of four stand in a text with at most one mistake: 16 places of a thread; n vectors of text.
//: letters_found letters_found 1600 256 409600 0 below 2147483648
BENCH(letters_found, uint4, int) {
    u32 i = TID;
    if (i >= n) return;
    uint4 v = a[i];
    u32 w[5] = {v.x, v.y, v.z, v.w, a[i + 1].x}, found = 0;
    for (int k = 0; k < 5; k++) w[k] &= 0x03030303;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        u32 four = __funnelshift_r(w[k / 4], w[k / 4 + 1], k % 4 * 8);
        found += __popc(__vcmpeq4(four, 0x02000301)) >= 24;
    }
    found = __reduce_add_sync(ALL, found);
    if (threadIdx.x % 32 == 0 && found) atomicAdd(c, found);
}

// CRC-32 of 64 bytes of each thread by a table in shared memory that the block makes first.
//: crc32_by_table crc32_by_table 528 256 16 0 below 2147483648
BENCH(crc32_by_table, u32, u32) {
    __shared__ u32 table[256];
    u32 r = threadIdx.x, crc = ALL;
    for (int k = 0; k < 8; k++) r = r & 1 ? r >> 1 ^ 0xedb88320 : r >> 1;
    table[threadIdx.x] = r;
    __syncthreads();
    for (int i = 0; i < n; i++) {
        crc ^= a[i * gridDim.x * 256 + TID];
        for (int k = 0; k < 4; k++) crc = crc >> 8 ^ table[crc & 255];
    }
    c[TID] = ~crc;
}

// Philox 4x32-10: two counters of a thread, written as vectors.
//: philox_write philox_write 4096 256 1048576 0 zeros
BENCH(philox_write, u32, uint4) {
    for (int half = 0; half < 2; half++) {
        uint4 x = make_uint4(TID + half * n, 0, 7, 11);
        u32 k0 = 0xcafe, k1 = 0xf00d + m;
        for (int r = 0; r < 10; r++, k0 += 0x9e3779b9, k1 += 0xbb67ae85) {
            u32 h0 = __umulhi(0xd2511f53, x.x), l0 = 0xd2511f53 * x.x, h1 = __umulhi(0xcd9e8d57, x.z), l1 = 0xcd9e8d57 * x.z;
            x = make_uint4(h1 ^ x.y ^ k0, l1, h0 ^ x.w ^ k1, l0);
        }
        c[TID + half * n] = x;
    }
}

// RC4's mixing over 32 places in an array of the thread that is indexed by what is in it; n steps.
//: mixed_local_array mixed_local_array 960 128 28 0 below 2147483648
BENCH(mixed_local_array, u32, u32) {
    u32 s[32], key = a[TID], j = 0, sum = 0;
    for (int i = 0; i < 32; i++) s[i] = i * 5 + 3 & 31;
    for (int i = 0; i < n; i++) {
        u32 x = s[i & 31];
        j = (j + x + (key >> (i & 15))) & 31;
        u32 y = s[j];
        s[i & 31] = y, s[j] = x;
        sum = sum * 3 + s[(x + y) & 31];
    }
    c[TID] = sum;
}

// Distance of two words of 256 letters: a block has a pair and goes over 511 diagonals, three of them in shared memory.
//: edit_distance_256 edit_distance_256 20 256 0 0 below 2147483648
BENCH(edit_distance_256, u32, int) {
    __shared__ int d[3][257];
    __shared__ u32 other[256];
    int t = threadIdx.x;
    u32 mine = a[blockIdx.x * 512 + t] >> 5 & 3;
    other[t] = a[blockIdx.x * 512 + 256 + t] >> 5 & 3;
    // d[k % 3][i] is the distance of the first i letters and the first k - i of the other.
    d[0][t + 1] = d[1][t + 1] = d[2][t + 1] = 0;
    if (t == 0) d[0][0] = 0, d[1][0] = 1, d[1][1] = 1, d[2][0] = 0;
    __syncthreads();
    for (int k = 2, now = 2, old = 1, older = 0; k <= 512; k++) {
        int i = t + 1, j = k - i;
        if (j >= 1 && j <= 256) d[now][i] = min(min(d[old][i - 1], d[old][i]) + 1, d[older][i - 1] + (mine != other[j - 1]));
        if (j == 0) d[now][i] = k;
        if (t == 0 && k <= 256) d[now][0] = k;
        __syncthreads();
        int free = older;
        older = old, old = now, now = free;
    }
    if (t == 255) c[blockIdx.x] = d[512 % 3][256];
}

// --- Chance, light, bodies -------------------------------------------------------------------------------------------------------------
// Particles that walk through a slab: free flights, absorption, scattering; n particles of a thread, its numbers by xorshift.
//: slab_walk slab_walk 264 192 4 0 zeros
BENCH(slab_walk, u32, u32) {
    u32 s = TID * 747796405u + 2891336453u | 1, fate[3] = {};
    auto next = [&] { s ^= s << 13, s ^= s >> 17, s ^= s << 5; return (s >> 8) * 5.9604645e-8f + 3e-8f; };
    for (int k = 0; k < n; k++) {
        float x = 0, way = 1;
        while (true) {
            x -= way * __logf(next());
            if (x < 0) { fate[0]++; break; }
            if (x > 3) { fate[1]++; break; }
            if (next() < 0.15f) { fate[2]++; break; }
            way = 2 * next() - 1;
        }
    }
    for (int i = 0; i < 3; i++) {
        u32 all = __reduce_add_sync(ALL, fate[i]);
        if (threadIdx.x % 32 == 0) atomicAdd(&c[i], all);
    }
}

// Rays through a picture of n x m against 40 spheres in shared memory: the nearest, with a light.
//: rays_at_spheres rays_at_spheres 1536 128 512 384 zeros
BENCH(rays_at_spheres, float, float) {
    __shared__ float4 ball[40];
    if (threadIdx.x < 40) {
        const float* p = b + threadIdx.x * 4;
        ball[threadIdx.x] = make_float4(p[0] * 4 - 2, p[1] * 3 - 1.5f, p[2] * 4 + 3, p[3] * 0.3f + 0.1f);
    }
    __syncthreads();
    float x = (TID % n) * 1.2f / n - 0.6f, y = (TID / n) * 1.0f / m - 0.5f, l = rsqrtf(x * x + y * y + 1), best = 1e9f;
    x *= l, y *= l;
    int hit = -1;
    for (int k = 0; k < 40; k++) {
        float4 s = ball[k];
        float along = s.x * x + s.y * y + s.z * l, d = along * along - (s.x * s.x + s.y * s.y + s.z * s.z) + s.w * s.w;
        if (d > 0) {
            float t = along - sqrtf(d);
            if (t > 0 && t < best) best = t, hit = k;
        }
    }
    float light = 0.1f;
    if (hit >= 0) light = fmaxf(0.0f, ((ball[hit].y - y * best) * 0.8f + (ball[hit].z - l * best) * 0.6f) / ball[hit].w);
    c[TID] = light;
}

// Mandelbrot's set, n pixels wide, at most m steps: a block of one warp has 8x4 pixels.
//: mandelbrot_8x4 mandelbrot_8x4 9600 32 640 120 zeros
BENCH(mandelbrot_8x4, u32, u32) {
    u32 px = blockIdx.x % (n / 8) * 8 + threadIdx.x % 8, py = blockIdx.x / (n / 8) * 4 + threadIdx.x / 8;
    float u = px * 3.0f / n - 2.2f, v = py * 3.0f / n - 1.1f, x = 0, y = 0;
    int k = 0;
    for (; k < m && x * x + y * y < 4; k++) {
        float t = x * x - y * y + u;
        y = 2 * x * y + v, x = t;
    }
    c[py * n + px] = k;
}

// Gravity of n bodies: a block has 128 of them and a slice of one eighth, three tiles of 128 in shared memory.
//: gravity_slices gravity_slices 192 128 3072 0 uniform
BENCH(gravity_slices, float4, float) {
    __shared__ float4 tile[128];
    u32 i = blockIdx.x / 8 * 128 + threadIdx.x, slice = blockIdx.x % 8 * (n / 8);
    float4 p = a[i];
    float x = 0, y = 0, z = 0;
    for (u32 j = slice; j < slice + n / 8; j += 128) {
        tile[threadIdx.x] = a[j + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 128; k++) {
            float4 q = tile[k];
            float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f), w = q.w * r * r * r;
            x += w * dx, y += w * dy, z += w * dz;
        }
        __syncthreads();
    }
    atomicAdd(&c[i * 3], x), atomicAdd(&c[i * 3 + 1], y), atomicAdd(&c[i * 3 + 2], z);
}

// --- Grids and pictures ------------------------------------------------------------------------------------------------------------------
// Seven points in 192 x n x m: a thread goes up through 24 planes with three values of its column in registers; edges repeat.
//: seven_points_up seven_points_up 384 256 128 96 uniform
BENCH(seven_points_up, float, float) {
    int tile = blockIdx.x % (6 * n / 8), z0 = blockIdx.x / (6 * n / 8) * 24, plane = 192 * n;
    int x = tile % 6 * 32 + threadIdx.x % 32, y = tile / 6 * 8 + threadIdx.x / 32, at = y * 192 + x;
    int left = x ? -1 : 0, right = x < 191 ? 1 : 0, front = y ? -192 : 0, back = y < n - 1 ? 192 : 0;
    float below = a[max(z0 - 1, 0) * plane + at], here = a[z0 * plane + at];
    for (int z = z0; z < z0 + 24; z++) {
        const float* p = a + z * plane + at;
        float above = a[min(z + 1, m - 1) * plane + at];
        c[z * plane + at] = 0.4f * here + 0.1f * (below + above + p[left] + p[right] + p[front] + p[back]);
        below = here, here = above;
    }
}

// 27 points in 128 x 96 x 64: a block has 8x8x8 of them with a rim in shared memory; edges repeat.
//: twenty_seven_cube twenty_seven_cube 1536 512 0 0 uniform
BENCH(twenty_seven_cube, float, float) {
    __shared__ float s[10][10][10];
    int x0 = blockIdx.x % 16 * 8, y0 = blockIdx.x / 16 % 12 * 8, z0 = blockIdx.x / 192 * 8;
    for (int i = threadIdx.x; i < 1000; i += 512) {
        int x = min(max(x0 + i % 10 - 1, 0), 127), y = min(max(y0 + i / 10 % 10 - 1, 0), 95), z = min(max(z0 + i / 100 - 1, 0), 63);
        s[i / 100][i / 10 % 10][i % 10] = a[(z * 96 + y) * 128 + x];
    }
    __syncthreads();
    int x = threadIdx.x % 8, y = threadIdx.x / 8 % 8, z = threadIdx.x / 64;
    const float w[4] = {0.3f, 0.05f, 0.02f, 0.01f};
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 27; k++) sum += w[(k / 9 != 1) + (k / 3 % 3 != 1) + (k % 3 != 1)] * s[z + k / 9][y + k / 3 % 3][x + k % 3];
    c[((z0 + z) * 96 + y0 + y) * 128 + x0 + x] = sum;
}

__constant__ float blur_5x5[25] = {1, 4, 6, 4, 1, 4, 16, 24, 16, 4, 6, 24, 36, 24, 6, 4, 16, 24, 16, 4, 1, 4, 6, 4, 1};
// Convolution of 5x5 with weights in constant memory: 32x16 pixels of a block in shared memory; n wide, m high, dark outside.
//: convolve_5x5 convolve_5x5 1024 256 1024 512 uniform
BENCH(convolve_5x5, float, float) {
    __shared__ float s[20][36];
    int x0 = blockIdx.x % (n / 32) * 32, y0 = blockIdx.x / (n / 32) * 16;
    for (int i = threadIdx.x; i < 720; i += 256) {
        int x = x0 + i % 36 - 2, y = y0 + i / 36 - 2;
        s[i / 36][i % 36] = x >= 0 && x < n && y >= 0 && y < m ? a[y * n + x] : 0.0f;
    }
    __syncthreads();
    int x = threadIdx.x % 32;
    for (int y = threadIdx.x / 32; y < 16; y += 8) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k < 25; k++) sum += blur_5x5[k] * s[y + k / 5][x + k % 5];
        c[(y0 + y) * n + x0 + x] = sum / 256;
    }
}

// A picture of 1200x800 in four bytes of a pixel made n x m, between four pixels each.
//: resize_rgba resize_rgba 1685 256 777 555 below 2147483648
BENCH(resize_rgba, u32, u32) {
    u32 i = TID;
    if (i >= n * m) return;
    float x = (i % n + 0.5f) * 1199 / n, y = (i / n + 0.5f) * 799 / m;
    int left = min((int)x, 1198), top = min((int)y, 798);
    float fx = x - left, fy = y - top;
    const u32* p = a + top * 1200 + left;
    u32 p00 = p[0], p01 = p[1], p10 = p[1200], p11 = p[1201], out = 0;
    for (int k = 0; k < 32; k += 8) {
        float up = (p00 >> k & 255) * (1 - fx) + (p01 >> k & 255) * fx, low = (p10 >> k & 255) * (1 - fx) + (p11 >> k & 255) * fx;
        out |= (u32)(up * (1 - fy) + low * fy + 0.5f) << k;
    }
    c[i] = out;
}

// [83][187][301] to [301][83][187]: tiles of 32x32 in shared memory, none of the sizes a multiple of it.
//: permute_odd_3d permute_odd_3d 4980 256 0 0 uniform
BENCH(permute_odd_3d, float, float) {
    __shared__ float s[32][33];
    int x0 = blockIdx.x % 10 * 32, y0 = blockIdx.x / 10 % 6 * 32, z = blockIdx.x / 60, t = threadIdx.x % 32, u = threadIdx.x / 32;
    for (int k = u; k < 32; k += 8)
        if (x0 + t < 301 && y0 + k < 187) s[k][t] = a[(z * 187 + y0 + k) * 301 + x0 + t];
    __syncthreads();
    for (int k = u; k < 32; k += 8)
        if (x0 + k < 301 && y0 + t < 187) c[((x0 + k) * 83 + z) * 187 + y0 + t] = s[t][k];
}

// Lattice-Boltzmann D2Q9 on a torus of n x m: pulls nine populations, collides, stores them.
//: lattice_d2q9 lattice_d2q9 2700 192 960 540 uniform
BENCH(lattice_d2q9, float, float) {
    const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    int x = TID % n, y = TID / n, size = n * m;
    float f[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int k = 0; k < 9; k++) {
        int px = x - ex[k], py = y - ey[k];
        px += px < 0 ? n : px >= n ? -n : 0, py += py < 0 ? m : py >= m ? -m : 0;
        f[k] = a[k * size + py * n + px] + 1.0f;
        rho += f[k], ux += ex[k] * f[k], uy += ey[k] * f[k];
    }
    ux /= rho, uy /= rho;
    float base = 1 - 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int k = 0; k < 9; k++) {
        float e = ex[k] * ux + ey[k] * uy, w = k == 0 ? 4.0f / 9 : k < 5 ? 1.0f / 9 : 1.0f / 36;
        c[k * size + TID] = f[k] + 0.6f * (w * rho * (base + 3 * e + 4.5f * e * e) - f[k]);
    }
}

// Dot product in f64: strides over the grid, shuffles, shared memory, one atomic of each block; n doubles.
//: f64_dot_atomic f64_dot_atomic 396 256 4000000 0 uniform
BENCH(f64_dot_atomic, double, double) {
    __shared__ double part[8];
    const double* y = (const double*)b;
    double sum = 0;
    for (u32 i = TID; i < n; i += gridDim.x * 256) sum += a[i] * y[i];
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(ALL, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 8) {
        sum = part[threadIdx.x];
        for (int d = 4; d; d >>= 1) sum += __shfl_xor_sync(0xff, sum, d);
        if (threadIdx.x == 0) atomicAdd(c, sum);
    }
}
