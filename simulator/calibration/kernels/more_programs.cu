// Programs of many kinds, written without a look at the clock, and measured on both cards. It was judged by them once and may be learned
// from them now.
//
// Rows and parameters are as in `calibration.cu`.
//
// requires: sm_80

typedef unsigned int u32;
typedef unsigned long long u64;
#define PROGRAM(name, TA, TB, TC) \
    extern "C" __global__ void name(const TA* __restrict__ a, const TB* __restrict__ b, TC* __restrict__ c, int n, int m)

// --- Grids -----------------------------------------------------------------------------------------------------------------------
// Jacobi on n × n, a tile of 32 × 8 with its halo in shared memory.
//: jacobi_halo jacobi_halo 16384 256 2048 0 uniform
PROGRAM(jacobi_halo, float, float, float) {
    __shared__ float t[10][34];
    int tiles = n / 32, x0 = blockIdx.x % tiles * 32, y0 = blockIdx.x / tiles * 8;
    for (int i = threadIdx.x; i < 340; i += 256) {
        int x = min(max(x0 + i % 34 - 1, 0), n - 1), y = min(max(y0 + i / 34 - 1, 0), n - 1);
        t[i / 34][i % 34] = a[y * n + x];
    }
    __syncthreads();
    int lx = threadIdx.x % 32 + 1, ly = threadIdx.x / 32 + 1;
    c[(y0 + ly - 1) * n + x0 + lx - 1] = 0.25f * (t[ly][lx - 1] + t[ly][lx + 1] + t[ly - 1][lx] + t[ly + 1][lx]);
}
// The wave equation on n × n × m: a thread goes up a column and keeps five layers in registers.
//: wave_column wave_column 256 256 256 32 uniform
PROGRAM(wave_column, float, float, float) {
    int x = blockIdx.x % (n / 32) * 32 + threadIdx.x % 32, y = blockIdx.x / (n / 32) * 8 + threadIdx.x / 32;
    int layer = n * n, at = y * n + x;
    bool inside = x >= 2 && y >= 2 && x < n - 2 && y < n - 2;
    float below2 = a[at], below1 = a[at + layer], own = a[at + 2 * layer], above1 = a[at + 3 * layer];
    for (int z = 2; z < m - 2; z++) {
        float above2 = a[at + (z + 2) * layer];
        int i = at + z * layer;
        if (inside) {
            float sum = -7.5f * own + 1.333f * (below1 + above1) - 0.083f * (below2 + above2);
            sum += 1.333f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n]);
            sum -= 0.083f * (a[i - 2] + a[i + 2] + a[i - 2 * n] + a[i + 2 * n]);
            c[i] = 2 * own - b[i] + 0.1f * sum;
        }
        below2 = below1, below1 = own, own = above1, above1 = above2;
    }
}
// The game of life, 32 cells to a word.
//: life_bits life_bits 2048 256 256 0 below 2147483647
PROGRAM(life_bits, u32, u32, u32) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % n, y = i / n, rows = gridDim.x * blockDim.x / n;
    u32 one = 0, two = 0, four = 0, own = 0;
    for (int d = -1; d <= 1; d++) {
        const u32* row = a + (y + d + rows) % rows * n;
        u32 mid = row[x], left = __funnelshift_l(row[(x + n - 1) % n], mid, 1), right = __funnelshift_r(mid, row[(x + 1) % n], 1);
        u32 cells[3] = {left, d ? mid : 0, right};
        if (d == 0) own = mid;
        for (int k = 0; k < 3; k++) {
            u32 carry = one & cells[k];
            one ^= cells[k];
            u32 carry2 = two & carry;
            two ^= carry;
            four |= carry2;
        }
    }
    c[i] = two & ~four & (one | own);
}

// --- Rows: softmax, norms, attention -----------------------------------------------------------------------------------------------
// A warp to a row of 256, all of it in registers.
//: softmax_registers softmax_registers 4096 256 0 0 uniform
PROGRAM(softmax_registers, float, float, float) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float v[8], most = -1e30f, sum = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) v[i] = a[row * 256 + i * 32 + lane], most = fmaxf(most, v[i]);
#pragma unroll
    for (int d = 16; d; d >>= 1) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
#pragma unroll
    for (int i = 0; i < 8; i++) v[i] = expf(v[i] - most), sum += v[i];
#pragma unroll
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
    float scale = 1.0f / sum;
#pragma unroll
    for (int i = 0; i < 8; i++) c[row * 256 + i * 32 + lane] = v[i] * scale;
}
// A block of 128 to a row of n, in vectors.
//: rms_norm_2048 rms_norm 1024 128 2048 0 uniform
//: rms_norm_few rms_norm 96 128 8192 0 uniform
PROGRAM(rms_norm, float4, float4, float4) {
    __shared__ float part[4];
    const float4* x = a + blockIdx.x * (n / 4);
    float squares = 0;
    for (int i = threadIdx.x; i < n / 4; i += 128) {
        float4 v = x[i];
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int d = 16; d; d >>= 1) squares += __shfl_down_sync(0xffffffff, squares, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = squares;
    __syncthreads();
    float scale = rsqrtf((part[0] + part[1] + part[2] + part[3]) / n + 1e-6f);
    for (int i = threadIdx.x; i < n / 4; i += 128) {
        float4 v = x[i], w = b[i];
        c[blockIdx.x * (n / 4) + i] = make_float4(v.x * scale * w.x, v.y * scale * w.y, v.z * scale * w.z, v.w * scale * w.w);
    }
}
// Attention of a head of 32 over n keys, a query to a thread, keys and values by tiles, the softmax as it goes.
//: attention_head attention_head 132 64 512 0 uniform
PROGRAM(attention_head, float, float, float) {
    __shared__ float keys[32][32], values[32][32];
    float q[32], out[32], most = -1e30f, sum = 0;
    int query = blockIdx.x * 64 + threadIdx.x;
#pragma unroll
    for (int d = 0; d < 32; d++) q[d] = a[query * 32 + d], out[d] = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        __syncthreads();
        for (int i = threadIdx.x; i < 1024; i += 64) keys[i / 32][i % 32] = b[k0 * 32 + i], values[i / 32][i % 32] = b[(n + k0) * 32 + i];
        __syncthreads();
        for (int k = 0; k < 32; k++) {
            float score = 0;
#pragma unroll
            for (int d = 0; d < 32; d++) score += q[d] * keys[k][d];
            score *= 0.17677f;
            float next = fmaxf(most, score), old = __expf(most - next), p = __expf(score - next);
            most = next;
            sum = sum * old + p;
#pragma unroll
            for (int d = 0; d < 32; d++) out[d] = out[d] * old + p * values[k][d];
        }
    }
#pragma unroll
    for (int d = 0; d < 32; d++) c[query * 32 + d] = out[d] / sum;
}

// --- Scans, reductions, compaction -------------------------------------------------------------------------------------------------
// Four items to a thread, warps by shuffles, a block of 512.
//: scan_shuffles scan_shuffles 4096 512 0 0 below 16
PROGRAM(scan_shuffles, uint4, u32, uint4) {
    __shared__ u32 totals[16];
    int i = blockIdx.x * 512 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint4 v = a[i];
    v.y += v.x, v.z += v.y, v.w += v.z;
    u32 sum = v.w;
    for (int d = 1; d < 32; d <<= 1) {
        u32 other = __shfl_up_sync(0xffffffff, sum, d);
        if (lane >= d) sum += other;
    }
    if (lane == 31) totals[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        u32 t = lane < 16 ? totals[lane] : 0;
        for (int d = 1; d < 16; d <<= 1) {
            u32 other = __shfl_up_sync(0xffffffff, t, d);
            if (lane >= d) t += other;
        }
        if (lane < 16) totals[lane] = t;
    }
    __syncthreads();
    u32 before = sum - v.w + (warp ? totals[warp - 1] : 0);
    c[i] = make_uint4(v.x + before, v.y + before, v.z + before, v.w + before);
}
// The sum of n, finished by the block that comes last.
//: sum_last_block sum_last_block 264 256 4194304 0 uniform
PROGRAM(sum_last_block, float, float, float) {
    __shared__ float part[256];
    __shared__ bool last;
    volatile float* out = c;
    u32* count = (u32*)c + 1024;
    float sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += a[i];
    for (int turn = 0; turn < 2; turn++) {
        part[threadIdx.x] = sum;
        __syncthreads();
        for (int d = 128; d; d >>= 1) {
            if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
            __syncthreads();
        }
        if (turn == 1) {
            if (threadIdx.x == 0) c[2000] = part[0], *count = 0;
            return;
        }
        if (threadIdx.x == 0) {
            out[blockIdx.x] = part[0];
            __threadfence();
            last = atomicAdd(count, 1) == gridDim.x - 1;
        }
        __syncthreads();
        if (!last) return;
        sum = 0;
        for (int i = threadIdx.x; i < gridDim.x; i += 256) sum += out[i];
    }
}
// The place of the largest: a 64-bit maximum for each block.
//: place_of_most place_of_most 528 256 2097152 0 below 2000000000
PROGRAM(place_of_most, u32, u32, u64) {
    __shared__ u64 part[8];
    u64 best = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        u64 v = (u64)a[i] << 32 | i;
        best = v > best ? v : best;
    }
    for (int d = 16; d; d >>= 1) {
        u64 other = __shfl_down_sync(0xffffffff, best, d);
        best = other > best ? other : best;
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = best;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; i++) best = part[i] > best ? part[i] : best;
        atomicMax(c, best);
    }
}
// Those below m, in the block's order, one claim to a block.
//: keep_those_below keep_those_below 4096 256 0 500 below 1000
PROGRAM(keep_those_below, u32, u32, u32) {
    __shared__ u32 counts[8], base;
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, v = a[blockIdx.x * 256 + threadIdx.x];
    u32 votes = __ballot_sync(0xffffffff, v < m);
    if (lane == 0) counts[warp] = __popc(votes);
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 sum = 0;
        for (int i = 0; i < 8; i++) {
            u32 own = counts[i];
            counts[i] = sum;
            sum += own;
        }
        base = atomicAdd(c, sum);
    }
    __syncthreads();
    if (v < m) c[64 + ((base + counts[warp] + __popc(votes & ((1u << lane) - 1))) & 0x7fffff)] = v;
}

// --- Histograms, sorting, tables -----------------------------------------------------------------------------------------------------
// A histogram of 128 for every warp of the block, then their sum.
//: histogram_of_warps histogram_of_warps 264 256 2097152 0 below 128
PROGRAM(histogram_of_warps, u32, u32, u32) {
    __shared__ u32 h[8][128];
    for (int i = threadIdx.x; i < 1024; i += 256) h[i / 128][i % 128] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&h[threadIdx.x / 32][a[i]], 1);
    __syncthreads();
    if (threadIdx.x < 128) {
        u32 sum = 0;
        for (int w = 0; w < 8; w++) sum += h[w][threadIdx.x];
        atomicAdd(c + threadIdx.x, sum);
    }
}
// A block's 512 keys of n bits sorted by splitting them bit after bit.
//: radix_block radix_block 528 512 8 0 below 256
PROGRAM(radix_block, u32, u32, u32) {
    __shared__ u32 keys[512], zeros[16];
    u32 t = threadIdx.x, lane = t % 32, warp = t / 32, key = a[blockIdx.x * 512 + t];
    for (int bit = 0; bit < n; bit++) {
        bool one = key >> bit & 1;
        u32 votes = __ballot_sync(0xffffffff, !one);
        if (lane == 0) zeros[warp] = __popc(votes);
        __syncthreads();
        u32 before = 0, all = 0;
        for (int w = 0; w < 16; w++) {
            if (w < warp) before += zeros[w];
            all += zeros[w];
        }
        before += __popc(votes & ((1u << lane) - 1));
        keys[one ? all + t - before : before] = key;
        __syncthreads();
        key = keys[t];
    }
    c[blockIdx.x * 512 + t] = key;
}
// Keys into a table of 4 Mi places by open addressing.
//: table_insert table_insert 2048 256 0 0 below 2000000000
PROGRAM(table_insert, u32, u32, u32) {
    u32 key = a[blockIdx.x * 256 + threadIdx.x] + 1, at = key * 2654435761u >> 10;
    for (int tries = 0; tries < 64; tries++) {
        u32 old = atomicCAS(c + at, 0, key);
        if (old == 0 || old == key) break;
        at = (at + 1) & 0x3fffff;
    }
}
// The four least of n for each warp: every lane keeps its own four, then they are merged.
//: four_least four_least 528 128 4096 0 uniform
PROGRAM(four_least, float, float, float) {
    int warp = (blockIdx.x * 128 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float k[4] = {1e30f, 1e30f, 1e30f, 1e30f};
    for (int i = lane; i < n; i += 32) {
        float v = a[warp * n + i];
        if (v < k[3]) {
            k[3] = v;
#pragma unroll
            for (int j = 3; j > 0; j--)
                if (k[j] < k[j - 1]) {
                    float s = k[j];
                    k[j] = k[j - 1], k[j - 1] = s;
                }
        }
    }
    for (int turn = 0; turn < 4; turn++) {
        float least = k[0];
        for (int d = 16; d; d >>= 1) least = fminf(least, __shfl_xor_sync(0xffffffff, least, d));
        u32 owners = __ballot_sync(0xffffffff, k[0] == least);
        if (lane == __ffs(owners) - 1) {
            c[warp * 4 + turn] = least;
            k[0] = k[1], k[1] = k[2], k[2] = k[3], k[3] = 1e30f;
        }
    }
}

// --- Indices: embeddings, graphs, sparse matrices ------------------------------------------------------------------------------------
// Rows of 64 floats by their number, 16 threads to a row.
//: embedding_rows embedding_rows 4096 256 0 0 below 200000
PROGRAM(embedding_rows, u32, float4, float4) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    c[i] = b[a[i / 16] * 16 + i % 16];
}
// Gradients of them added up.
//: embedding_add embedding_add 8192 256 0 0 below 100000
PROGRAM(embedding_add, u32, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    atomicAdd(c + a[i / 64] * 64 + i % 64, b[i]);
}
// A sparse matrix of n rows of m entries in columns (ELL), and with eight lanes to a row.
//: ell_product ell_product 512 256 131072 24 below 131072
PROGRAM(ell_product, u32, float, float) {
    u32 row = blockIdx.x * 256 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < m; k++) sum += b[1048576 + k * n + row] * b[a[k * n + row]];
    c[row] = sum;
}
//: eighths_product eighths_product 2048 256 0 40 below 65536
PROGRAM(eighths_product, u32, float, float) {
    u32 row = (blockIdx.x * 256 + threadIdx.x) / 8, lane = threadIdx.x % 8, entries = m / 2 + row * 2246822519u % m;
    float sum = 0;
    for (u32 k = lane; k < entries; k += 8) sum += b[1048576 + row * 64 + k] * __ldg(b + a[row * 64 + k]);
    for (int d = 4; d; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d, 8);
    if (lane == 0) c[row] = sum;
}
// Down n levels of a tree of which a holds what to compare with: a forest's decisions.
//: decision_tree decision_tree 1024 256 18 0 uniform
PROGRAM(decision_tree, float, float, u32) {
    u32 i = blockIdx.x * 256 + threadIdx.x, node = 1;
    for (int level = 0; level < n; level++) node = node * 2 + (b[i * 16 + (node & 15)] > a[node]);
    c[i] = node;
}

// --- Signals and images ------------------------------------------------------------------------------------------------------------
__constant__ float taps[33];
// 33 taps from constant memory along rows that lie in shared memory.
//: taps_constant taps_constant 4096 256 0 0 uniform
PROGRAM(taps_constant, float, float, float) {
    __shared__ float s[288];
    u32 i = blockIdx.x * 256 + threadIdx.x;
    s[threadIdx.x] = a[i];
    if (threadIdx.x < 32) s[256 + threadIdx.x] = a[i + 256];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 33; k++) sum += taps[k] * s[threadIdx.x + k];
    c[i] = sum;
}
// 3 × 3 over m channels of n × n, eight filters at once.
//: channels_3x3 channels_3x3 256 256 256 8 uniform
PROGRAM(channels_3x3, float, float, float) {
    __shared__ float t[18][19], w[72];
    int x0 = blockIdx.x % (n / 16) * 16, y0 = blockIdx.x / (n / 16) * 16, tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    float sum[8] = {};
    for (int channel = 0; channel < m; channel++) {
        __syncthreads();
        for (int i = threadIdx.x; i < 324; i += 256) t[i / 18][i % 18] = a[(channel * (n + 2) + y0 + i / 18) * (n + 2) + x0 + i % 18];
        if (threadIdx.x < 72) w[threadIdx.x] = b[channel * 72 + threadIdx.x];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 9; i++) {
            float v = t[ty + i / 3][tx + i % 3];
#pragma unroll
            for (int f = 0; f < 8; f++) sum[f] += v * w[f * 9 + i];
        }
    }
#pragma unroll
    for (int f = 0; f < 8; f++) c[(f * n + y0 + ty) * n + x0 + tx] = sum[f];
}
// 512 points to a block of 256, all stages in shared memory.
//: fft_512 fft_512 1024 256 0 0 uniform
PROGRAM(fft_512, float2, float2, float2) {
    __shared__ float2 s[512];
    u32 t = threadIdx.x;
    s[__brev(t) >> 23] = a[blockIdx.x * 512 + t];
    s[__brev(t + 256) >> 23] = a[blockIdx.x * 512 + t + 256];
    for (u32 half = 1; half < 512; half *= 2) {
        __syncthreads();
        u32 k = t & (half - 1), i = 2 * t - k;
        float sine, cosine;
        __sincosf(-3.14159265f * k / half, &sine, &cosine);
        float2 x = s[i], y = s[i + half];
        float2 z = make_float2(y.x * cosine - y.y * sine, y.x * sine + y.y * cosine);
        s[i] = make_float2(x.x + z.x, x.y + z.y);
        s[i + half] = make_float2(x.x - z.x, x.y - z.y);
    }
    __syncthreads();
    c[blockIdx.x * 512 + t] = s[t];
    c[blockIdx.x * 512 + t + 256] = s[t + 256];
}
// Pixels of four bytes to grey, and a picture of n × n made 1.5 times as small with four neighbours weighed.
//: grey_pixels grey_pixels 8192 256 0 0 below 2147483647
PROGRAM(grey_pixels, uchar4, float, unsigned char) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    uchar4 p = a[i];
    c[i] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
}
//: smaller_picture smaller_picture 4096 256 1536 1024 uniform
PROGRAM(smaller_picture, float, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x, x = i % m, y = i / m;
    float step = (float)n / m, fx = x * step, fy = y * step;
    int x0 = (int)fx, y0 = (int)fy, x1 = min(x0 + 1, n - 1), y1 = min(y0 + 1, n - 1);
    float u = fx - x0, v = fy - y0;
    float upper = a[y0 * n + x0] * (1 - u) + a[y0 * n + x1] * u, lower = a[y1 * n + x0] * (1 - u) + a[y1 * n + x1] * u;
    c[i] = upper * (1 - v) + lower * v;
}

// --- Chance, chains, divergence ------------------------------------------------------------------------------------------------------
// The price of an option by n steps of a path, xorshift and Box–Muller.
//: option_paths option_paths 264 256 32 0 zeros
PROGRAM(option_paths, float, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x, s = i * 1099087573u + 362436069u;
    float price = 100.0f;
    for (int k = 0; k < n; k++) {
        float u[2];
#pragma unroll
        for (int j = 0; j < 2; j++) {
            s ^= s << 13, s ^= s >> 17, s ^= s << 5;
            u[j] = (s >> 8) * 5.9604645e-8f + 1e-7f;
        }
        float z = sqrtf(-2 * __logf(u[0])) * __cosf(6.2831853f * u[1]);
        price *= __expf(0.001f + 0.02f * z);
    }
    c[i] = fmaxf(price - 100.0f, 0);
}
// Newton's method until it is near enough: each thread needs its own number of steps.
//: cube_roots cube_roots 2048 256 0 0 below 100000000
PROGRAM(cube_roots, u32, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    float v = (float)a[i], x = 1.0f;
    for (int k = 0; k < 80; k++) {
        float next = (2 * x + v / (x * x)) / 3;
        if (fabsf(next - x) < 1e-5f * next) break;
        x = next;
    }
    c[i] = x;
}
// A picture of n spheres, a ray to a pixel.
//: ray_spheres ray_spheres 1024 256 24 512 uniform
PROGRAM(ray_spheres, float4, float, float) {
    __shared__ float4 balls[64];
    if (threadIdx.x < n) balls[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    u32 i = blockIdx.x * 256 + threadIdx.x;
    float x = (float)(i % m) / m, y = (float)(i / m) / m, nearest = 1e30f, shade = 0;
    for (int k = 0; k < n; k++) {
        float4 s = balls[k];
        float dx = s.x - x, dy = s.y - y, under = 0.04f * s.w - dx * dx - dy * dy;
        if (under > 0) {
            float depth = s.z - sqrtf(under);
            if (depth < nearest) nearest = depth, shade = sqrtf(under) / (0.2f * sqrtf(s.w));
        }
    }
    c[i] = shade;
}
// The texts of bytes in which a pattern of eight stands: every place is tried.
//: pattern_of_8 pattern_of_8 4096 256 0 0 below 2
PROGRAM(pattern_of_8, unsigned char, float, u32) {
    u32 i = (blockIdx.x * 256 + threadIdx.x) * 4, found = 0;
    for (int place = 0; place < 4; place++) {
        int k = 0;
        while (k < 8 && a[i + place + k] == (k % 4 == 0)) k++;
        found += k == 8;
    }
    if (found) atomicAdd(c + (threadIdx.x & 31), found);
}

// --- Small matrices, recurrences, mixed precision -----------------------------------------------------------------------------------
// A matrix of 4 × 4 to a thread: Cholesky's factor.
//: cholesky_4 cholesky_4 512 128 0 0 uniform
PROGRAM(cholesky_4, float4, float, float4) {
    u32 i = blockIdx.x * 128 + threadIdx.x;
    float l[4][4];
#pragma unroll
    for (int r = 0; r < 4; r++) {
        float4 v = a[i * 4 + r];
        l[r][0] = v.x, l[r][1] = v.y, l[r][2] = v.z, l[r][3] = v.w;
        l[r][r] += 4;
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
#pragma unroll
        for (int k = 0; k < j; k++) l[j][j] -= l[j][k] * l[j][k];
        l[j][j] = sqrtf(l[j][j]);
#pragma unroll
        for (int r = j + 1; r < 4; r++) {
#pragma unroll
            for (int k = 0; k < j; k++) l[r][j] -= l[r][k] * l[j][k];
            l[r][j] /= l[j][j];
        }
    }
#pragma unroll
    for (int r = 0; r < 4; r++) c[i * 4 + r] = make_float4(l[r][0], r > 0 ? l[r][1] : 0, r > 1 ? l[r][2] : 0, r > 2 ? l[r][3] : 0);
}
// A recurrent cell of 128: n steps, the state in shared memory, the weights from the cache.
//: recurrent_cell recurrent_cell 66 128 16 0 uniform
PROGRAM(recurrent_cell, float, float, float) {
    __shared__ float h[128];
    u32 t = threadIdx.x;
    h[t] = 0;
    __syncthreads();
    for (int step = 0; step < n; step++) {
        float sum = a[(blockIdx.x * n + step) * 128 + t];
#pragma unroll 8
        for (int k = 0; k < 128; k++) sum += b[k * 128 + t] * h[k];
        float next = tanhf(sum * 0.01f);
        __syncthreads();
        h[t] = next;
        __syncthreads();
    }
    c[blockIdx.x * 128 + t] = h[t];
}
// Bytes times bytes: a row of n words to a warp.
//: bytes_dot bytes_dot 1024 256 1024 0 below 2147483647
PROGRAM(bytes_dot, int4, int4, int) {
    int row = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32, sum = 0;
    for (int i = lane; i < n / 4; i += 32) {
        int4 x = a[row * (n / 4) + i], y = b[i];
        sum = __dp4a(x.x, y.x, sum), sum = __dp4a(x.y, y.y, sum), sum = __dp4a(x.z, y.z, sum), sum = __dp4a(x.w, y.w, sum);
    }
    sum = __reduce_add_sync(0xffffffff, sum);
    if (lane == 0) c[row] = sum;
}
// Halves multiplied, sums kept in floats.
//: halves_dot halves_dot 512 256 2097152 0 zeros
PROGRAM(halves_dot, uint2, uint2, float) {
    __shared__ float part[8];
    float sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        uint2 x = a[i], y = b[i];
        u32 p, q;
        asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(p) : "r"(x.x), "r"(y.x));
        asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(q) : "r"(x.y), "r"(y.y), "r"(p));
        float low, high;
        asm("{.reg .f16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h;}" : "=f"(low), "=f"(high) : "r"(q));
        sum += low + high;
    }
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; i++) sum += part[i];
        c[blockIdx.x] = sum;
    }
}
// Particles of seven floats, one after the other, and the same as seven arrays of n.
//: particles_whole particles_whole 2048 256 0 0 uniform
struct Particle { float x, y, z, vx, vy, vz, mass; };
PROGRAM(particles_whole, Particle, float, Particle) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    Particle p = a[i];
    float k = -0.01f / p.mass;
    p.vx += k * p.x, p.vy += k * p.y, p.vz += k * p.z;
    p.x += 0.01f * p.vx, p.y += 0.01f * p.vy, p.z += 0.01f * p.vz;
    c[i] = p;
}
//: particles_parts particles_parts 2048 256 524288 0 uniform
PROGRAM(particles_parts, float, float, float) {
    u32 i = blockIdx.x * 256 + threadIdx.x;
    float k = -0.01f / a[6 * n + i];
#pragma unroll
    for (int d = 0; d < 3; d++) {
        float x = a[d * n + i], v = a[(3 + d) * n + i] + k * x;
        c[d * n + i] = x + 0.01f * v;
        c[(3 + d) * n + i] = v;
    }
}
// Best local alignment of 32 letters with n, a lane to a letter, the diagonal handed on by shuffles.
//: alignment_warp alignment_warp 528 64 256 0 below 4
PROGRAM(alignment_warp, u32, float, u32) {
    int warp = (blockIdx.x * 64 + threadIdx.x) / 32, lane = threadIdx.x % 32;
    u32 own = a[warp * 32 + lane];
    int above = 0, diagonal = 0, best = 0;
    for (int step = 0; step < n + 31; step++) {
        int at = step - lane, left = __shfl_up_sync(0xffffffff, above, 1);
        if (lane == 0) left = 0;
        if (at >= 0 && at < n) {
            int score = max(max(0, diagonal + (a[1048576 + warp * n + at] == own ? 3 : -2)), max(left, above) - 2);
            best = max(best, score);
            above = score;
        }
        diagonal = left;
    }
    c[blockIdx.x * 64 + threadIdx.x] = best;
}
// n tiles of 1024 words brought into shared memory ahead of their use.
//: tiles_ahead tiles_ahead 264 256 32 0 uniform
PROGRAM(tiles_ahead, float4, float, float4) {
    __shared__ float4 s[3][256];
    u32 t = threadIdx.x, to = (u32)__cvta_generic_to_shared(&s[0][t]);
    const float4* from = a + blockIdx.x * n * 256 + t;
    for (int i = 0; i < 2; i++)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\ncp.async.commit_group;" ::"r"(to + i * 4096), "l"(from + i * 256));
    float4 sum = make_float4(0, 0, 0, 0);
    for (int i = 0; i < n; i++) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        if (i + 2 < n)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + (i + 2) % 3 * 4096), "l"(from + (i + 2) * 256));
        asm volatile("cp.async.commit_group;");
        float4 v = s[i % 3][255 - t];
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
    }
    c[blockIdx.x * 256 + t] = sum;
}
