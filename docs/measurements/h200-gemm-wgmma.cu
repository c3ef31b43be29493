// An experiment, not a rung yet: C = A·B in fp32 on the tensor cores of compute capability 9.0 (wgmma), with each fp32 number as the sum of
// SPLITS bf16 numbers (three) and the six products of parts that matter. h200-gemm-ladder.md has its figures.
//
// Two warpgroups read fp32, split it and write swizzled bf16 tiles into a ring of two stages; two warpgroups multiply. Whole tiles only: m and
// n are multiples of 128, k of 64. It needs C aligned to 8 bytes, 512 threads, and dynamic shared memory of 2·STAGEB + 1024 bytes.
//
//   nvcc -gencode arch=compute_90a,code=sm_90a -cubin -DPF=2 h200-gemm-wgmma.cu

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;
#ifndef SPLITS
#define SPLITS 3
#endif
constexpr int BM = 128, BN = 128, DK = 64, STAGES = 2, TILEB = 128 * 128; // bytes of one 128x64 bf16 tile
constexpr int STAGEB = 2 * SPLITS * TILEB;
__device__ __forceinline__ void binit(u32 b, int n) { asm volatile("mbarrier.init.shared.b64 [%0],%1;" ::"r"(b), "r"(n) : "memory"); }
__device__ __forceinline__ void barrive(u32 b) { asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s,[%0];}" ::"r"(b) : "memory"); }
__device__ __forceinline__ void bwait(u32 b, u32 par) {
    u32 ok;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p,[%1],%2; selp.u32 %0,1,0,p;}"
                     : "=r"(ok)
                     : "r"(b), "r"(par)
                     : "memory");
    } while (!ok);
}
__device__ __forceinline__ u64 desc(u32 a) { return (u64)((a & 0x3ffff) >> 4) | (1ull << 16) | (64ull << 32) | (1ull << 62); }
__device__ __forceinline__ void wg(float (&d)[64], u64 a, u64 b, int keep) {
    asm volatile("{.reg .pred p; setp.ne.b32 p,%66,0; wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, "
                 "%7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "
                 "%31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, "
                 "%55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, p, 1, 1, 0, 0;}"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]),
                   "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]),
                   "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
                   "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]),
                   "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]),
                   "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]),
                   "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
                 : "l"(a), "l"(b), "r"(keep));
}
__device__ __forceinline__ u32 pack(float x0, float x1) {
    u32 r;
    asm("cvt.rn.bf16x2.f32 %0,%1,%2;" : "=r"(r) : "f"(x1), "f"(x0));
    return r;
}
__device__ __forceinline__ void split8(const float *x, u32 to, u32 stepb) {
    u32 p[SPLITS][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float a = x[2 * i], b = x[2 * i + 1];
#pragma unroll
        for (int s = 0; s < SPLITS; ++s) {
            u32 h = pack(a, b);
            p[s][i] = h;
            if (s + 1 < SPLITS) {
                a -= __uint_as_float(h << 16);
                b -= __uint_as_float(h & 0xffff0000u);
            }
        }
    }
#pragma unroll
    for (int s = 0; s < SPLITS; ++s)
        asm volatile("st.shared.v4.b32 [%0],{%1,%2,%3,%4};" ::"r"(to + s * stepb), "r"(p[s][0]), "r"(p[s][1]), "r"(p[s][2]), "r"(p[s][3])
                     : "memory");
}
extern "C" __global__ void __launch_bounds__(512, 1)
    kern(float *__restrict__ C, const float *__restrict__ A, const float *__restrict__ B, int m, int n, int k) {
    extern __shared__ __align__(1024) unsigned char raw[];
    __shared__ __align__(8) u64 bars[2 * STAGES];
    u32 sm = ((u32)__cvta_generic_to_shared(raw) + 1023) & ~1023u;
    u32 bb = (u32)__cvta_generic_to_shared(bars);
    int tid = threadIdx.x, w = tid / 128, t = tid % 128;
    if (tid == 0) {
        for (int s = 0; s < STAGES; ++s) {
            binit(bb + 8 * s, 256);
            binit(bb + 8 * (STAGES + s), 256);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    int bx, by;
    {
        int gm = gridDim.y;
        const int G = 8;
        int id = blockIdx.y * gridDim.x + blockIdx.x;
        int per = G * gridDim.x;
        int g = id / per * G;
        int rows = min(G, gm - g);
        int r = id % per;
        by = g + r % rows;
        bx = r / rows;
    }
    i64 row0 = (i64)by * BM, col0 = (i64)bx * BN;
    int slabs = k / DK;
    if (w < 2) { // producers: four pieces of a slab each
        asm volatile("setmaxnreg.dec.sync.aligned.u32 88;");
        const float *pa = A + (row0 + t / 8 + w * 64) * k + t % 8 * 8;
        const float *pb = B + (i64)w * 32 * n + col0 + t;
        float buf[PF][16];
        const i64 k16 = 16ll * k;
        auto load = [&](float *x, int q) { // piece q: A rows t/8+16q, B k chunk q
            const float4 *p = (const float4 *)(pa + q * k16);
            float4 u = __ldg(p), v = __ldg(p + 1);
            x[0] = u.x;
            x[1] = u.y;
            x[2] = u.z;
            x[3] = u.w;
            x[4] = v.x;
            x[5] = v.y;
            x[6] = v.z;
            x[7] = v.w;
#pragma unroll
            for (int e = 0; e < 8; ++e)
                x[8 + e] = __ldg(pb + (i64)(q * 8 + e) * n);
            if (q == 3) {
                pa += DK;
                pb += (i64)DK * n;
            }
        };
#pragma unroll
        for (int q = 0; q < PF; ++q)
            load(buf[q], q);
        u32 ra = (t / 8) * 128 + (((t % 8) ^ ((t / 8) & 7)) * 16);
        u32 rb = t * 128;
        for (int s = 0; s < slabs; ++s) {
            int st = s % STAGES;
            if (s >= STAGES)
                bwait(bb + 8 * (STAGES + st), ((s / STAGES) - 1) & 1);
            u32 base = sm + st * STAGEB;
            bool more = s + 1 < slabs;
#pragma unroll
            for (int q = 0; q < 4; ++q) {
                float x[16];
#pragma unroll
                for (int e = 0; e < 16; ++e)
                    x[e] = buf[q % PF][e];
                if (q + PF < 4)
                    load(buf[q % PF], q + PF);
                else if (more)
                    load(buf[q % PF], q + PF - 4);
                split8(x, base + ra + (w * 4 + q) * 16 * 128, TILEB);
                split8(x + 8, base + SPLITS * TILEB + rb + (((w * 4 + q) ^ (t & 7)) * 16), TILEB);
            }
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            barrive(bb + 8 * st);
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 168;");
        int c = w - 2;
        float sum[64], d[64];
#pragma unroll
        for (int i = 0; i < 64; ++i) {
            sum[i] = 0;
            d[i] = 0;
        }
        for (int s = 0; s < slabs; ++s) {
            int st = s % STAGES;
            bwait(bb + 8 * st, (s / STAGES) & 1);
            u32 a = sm + st * STAGEB + c * 64 * 128, b = sm + st * STAGEB + SPLITS * TILEB;
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            // smallest products first
            int keep = 0;
#pragma unroll
            for (int o = SPLITS - 1; o >= 0; --o)
#pragma unroll
                for (int i = 0; i <= o; ++i) {
                    int j = o - i;
#pragma unroll
                    for (int kk = 0; kk < 4; ++kk) {
                        wg(d, desc(a + i * TILEB + kk * 32), desc(b + j * TILEB + kk * 32), keep);
                        keep = 1;
                    }
                }
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
            for (int i = 0; i < 64; ++i)
                asm volatile("" : "+f"(d[i])::"memory");
            barrive(bb + 8 * (STAGES + st));
#pragma unroll
            for (int i = 0; i < 64; ++i)
                sum[i] += d[i];
        }
        int lane = t % 32, wr = t / 32;
        float *to = C + (row0 + c * 64 + wr * 16 + lane / 4) * n + col0 + lane % 4 * 2;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            *(float2 *)(to + 8 * i) = make_float2(sum[4 * i], sum[4 * i + 1]);
            *(float2 *)(to + 8ll * n + 8 * i) = make_float2(sum[4 * i + 2], sum[4 * i + 3]);
        }
    }
}
