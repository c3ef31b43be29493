// Bulk copies, the barriers that hear of them, products of a warpgroup: one thing each.
//
// requires: sm_90a

typedef unsigned int u32;
typedef unsigned long long u64;
#define BENCH(name, A, C) extern "C" __global__ void name(const A* __restrict__ a, const float* __restrict__ b, C* __restrict__ c, int n, int m)

__device__ __forceinline__ void init(u32 barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void expect(u32 barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void arrive(u32 barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void wait_at(u32 barrier, u32 parity) {
    u32 ended;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(ended)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    } while (!ended);
}

__device__ __forceinline__ void copy(u32 to, const void* from, int bytes, u32 barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

// n copies of m bytes, each waited for.
//: bulk_16_one bulk_chain 1 32 64 16 zeros
//: bulk_16 bulk_chain 132 32 64 16 zeros
//: bulk_16_256 bulk_chain 132 32 256 16 zeros
//: bulk_1k bulk_chain 132 32 64 1024 zeros
//: bulk_4k bulk_chain 132 32 64 4096 zeros
//: bulk_8k bulk_chain 132 32 64 8192 zeros
//: bulk_32k bulk_chain 132 32 64 32768 zeros
//: bulk_32k_one bulk_chain 1 32 64 32768 zeros
//: bulk_8k_two bulk_chain 264 32 64 8192 zeros
BENCH(bulk_chain, float, float) {
    __shared__ __align__(128) char s[32768];
    __shared__ __align__(8) u64 barrier;
    const u32 to = __cvta_generic_to_shared(s), full = __cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) {
        init(full, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            expect(full, m);
            copy(to, a + i * 8192, m, full);
            wait_at(full, i & 1);
        }
        c[blockIdx.x] = s[m - 1];
    }
}

// The same with four stages of m bytes, of the same part of memory for all blocks, or each block its own.
//: ring_1k ring 132 32 256 1024 zeros
//: ring_4k ring 132 32 256 4096 zeros
//: ring_8k ring 132 32 256 8192 zeros
//: ring_8k_one ring 1 32 256 8192 zeros
//: ring_8k_33 ring 33 32 256 8192 zeros
//: own_8k ring_own 132 32 112 8192 zeros
//: own_2k ring_own 132 32 128 2048 zeros
template <bool OWN>
__device__ __forceinline__ void ring_of(const char* a, float* c, int n, int m) {
    __shared__ __align__(128) char s[4][8192];
    __shared__ __align__(8) u64 barriers[4];
    const u32 to = __cvta_generic_to_shared(s), full = __cvta_generic_to_shared(barriers);
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < 4; stage++) init(full + 8 * stage, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        const char* from = OWN ? a + (size_t)blockIdx.x * n * m : a;
        for (int stage = 0; stage < 4; stage++) {
            expect(full + 8 * stage, m);
            copy(to + 8192 * stage, from, m, full + 8 * stage);
            from += m;
        }
        u32 stage = 0, parity = 0;
#pragma unroll 1
        for (int i = 4; i < n; i++) {
            wait_at(full + 8 * stage, parity);
            expect(full + 8 * stage, m);
            copy(to + 8192 * stage, from, m, full + 8 * stage);
            from += m;
            if (++stage == 4) stage = 0, parity ^= 1;
        }
        for (int i = 0; i < 4; i++) {
            wait_at(full + 8 * stage, parity);
            if (++stage == 4) stage = 0, parity ^= 1;
        }
        c[blockIdx.x] = s[0][m - 1];
    }
}
BENCH(ring, char, float) { ring_of<false>(a, c, n, m); }
BENCH(ring_own, char, float) { ring_of<true>(a, c, n, m); }

// Copies the other way: n of m bytes, each waited for until it is read, or written.
//: back_1k back 132 32 64 1024 zeros
//: back_8k back 132 32 64 8192 zeros
BENCH(back, float, char) {
    __shared__ __align__(128) char s[8192];
    const u32 from = __cvta_generic_to_shared(s);
    for (int i = threadIdx.x; i < 8192; i += 32) s[i] = i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(c + (size_t)blockIdx.x * 8192), "r"(from), "r"(m) : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        }
    }
}

// Four stages of m bytes in K copies, of the block's own 64 KiB again and again.
//: own_l2_8k own_1 132 32 256 8192 zeros
//: own_l2_4k own_1 132 32 256 4096 zeros
//: own_l2_1k own_1 132 32 256 1024 zeros
//: own_l2_8k_33 own_1 33 32 256 8192 zeros
//: own_l2_8k_in_2 own_2 132 32 256 8192 zeros
//: own_l2_2k_in_2 own_2 132 32 256 2048 zeros
//: own_l2_2k_in_4 own_4 132 32 256 2048 zeros
//: own_l2_8k_twice own_1 264 32 256 8192 zeros
template <int K>
__device__ __forceinline__ void own_ring(const char* a, float* c, int n, int m) {
    __shared__ __align__(128) char s[4][8192];
    __shared__ __align__(8) u64 barriers[4];
    const u32 to = __cvta_generic_to_shared(s), full = __cvta_generic_to_shared(barriers);
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < 4; stage++) init(full + 8 * stage, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        const char* from = a + (size_t)blockIdx.x * 65536;
        u32 stage = 0, parity = 1;
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            wait_at(full + 8 * stage, parity);
            expect(full + 8 * stage, m);
#pragma unroll
            for (int k = 0; k < K; k++) copy(to + 8192 * stage + k * (m / K), from + i % 8 * 8192 + k * (m / K), m / K, full + 8 * stage);
            if (++stage == 4) stage = 0, parity ^= 1;
        }
        for (int i = 0; i < 4; i++) {
            wait_at(full + 8 * stage, parity);
            if (++stage == 4) stage = 0, parity ^= 1;
        }
        c[blockIdx.x] = s[0][m - 1];
    }
}
BENCH(own_1, char, float) { own_ring<1>(a, c, n, m); }
BENCH(own_2, char, float) { own_ring<2>(a, c, n, m); }
BENCH(own_4, char, float) { own_ring<4>(a, c, n, m); }

// Nothing but arrivals and waits of one thread; and copies of 16 bytes that nobody waits for until the end.
//: arrive_and_wait arrive_and_wait 132 32 256 0 zeros
BENCH(arrive_and_wait, char, float) {
    __shared__ __align__(8) u64 barrier;
    const u32 full = __cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) {
        init(full, 1);
#pragma unroll 1
        for (int i = 0; i < n; i++) {
            arrive(full);
            wait_at(full, i & 1);
        }
        c[blockIdx.x] = n;
    }
}
//: copies_16 copies 132 32 256 16 zeros
//: copies_1k copies 132 32 256 1024 zeros
//: copies_8k copies 132 32 127 8192 zeros
BENCH(copies, char, float) {
    __shared__ __align__(128) char s[8192];
    __shared__ __align__(8) u64 barrier;
    const u32 to = __cvta_generic_to_shared(s), full = __cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) {
        init(full, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        expect(full, n * m);
#pragma unroll 1
        for (int i = 0; i < n; i++) copy(to, a + (size_t)blockIdx.x * 65536 + i % 8 * 8192, m, full);
        wait_at(full, 0);
        c[blockIdx.x] = s[0];
    }
}

// Two warps hand a phase to one another, n times; with as many pairs as a block has.
//: phases_2 phases 132 64 256 0 zeros
//: phases_8 phases 132 256 256 0 zeros
BENCH(phases, float, float) {
    __shared__ __align__(8) u64 barriers[64];
    const u32 pair = threadIdx.x / 64, mine = threadIdx.x / 32 % 2, at = __cvta_generic_to_shared(barriers) + 16 * pair;
    if (threadIdx.x % 64 == 0) {
        init(at, 1);
        init(at + 8, 1);
    }
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (mine == 0) {
            if (threadIdx.x % 32 == 0) arrive(at);
            wait_at(at + 8, i & 1);
        } else {
            wait_at(at, i & 1);
            if (threadIdx.x % 32 == 0) arrive(at + 8);
        }
    }
    c[blockIdx.x * blockDim.x + threadIdx.x] = n;
}

// The same with named barriers.
//: named_2 named 132 64 256 0 zeros
//: named_8 named 132 256 256 0 zeros
BENCH(named, float, float) {
    const u32 pair = threadIdx.x / 64, mine = threadIdx.x / 32 % 2, id = 1 + 2 * pair;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        if (mine == 0) {
            asm volatile("barrier.cta.arrive %0, 64;" ::"r"(id) : "memory");
            asm volatile("barrier.cta.sync %0, 64;" ::"r"(id + 1) : "memory");
        } else {
            asm volatile("barrier.cta.sync %0, 64;" ::"r"(id) : "memory");
            asm volatile("barrier.cta.arrive %0, 64;" ::"r"(id + 1) : "memory");
        }
    }
    c[blockIdx.x * blockDim.x + threadIdx.x] = n;
}

// Two warps hand a turn to one another with named barriers whose numbers the text has.
//: named_fixed named_fixed 132 64 256 0 zeros
//: named_aligned named_aligned 132 64 256 0 zeros
#define HAND_OVER(ARRIVE, SYNC)                                           \
    if (threadIdx.x < 32) {                                               \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                 \
            asm volatile(ARRIVE " 1, 64;" ::: "memory");                  \
            asm volatile(SYNC " 2, 64;" ::: "memory");                    \
        }                                                                 \
    } else {                                                              \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) {                 \
            asm volatile(SYNC " 1, 64;" ::: "memory");                    \
            asm volatile(ARRIVE " 2, 64;" ::: "memory");                  \
        }                                                                 \
    }                                                                     \
    c[blockIdx.x * blockDim.x + threadIdx.x] = n
BENCH(named_fixed, float, float) { HAND_OVER("barrier.cta.arrive", "barrier.cta.sync"); }
BENCH(named_aligned, float, float) { HAND_OVER("bar.arrive", "bar.sync"); }
// All of a block at one named barrier, n times.
//: named_all_2 named_all 132 64 256 0 zeros
//: named_all_8 named_all 132 256 256 0 zeros
BENCH(named_all, float, float) {
#pragma unroll 1
    for (int i = 0; i < n; i++) asm volatile("barrier.cta.sync 1, %0;" ::"r"(blockDim.x) : "memory");
    c[blockIdx.x * blockDim.x + threadIdx.x] = n;
}

#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)
__device__ __forceinline__ void multiply(float (&d)[64], u64 a, u64 b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
                 "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
                 "}, %64, %65, 1, 1, 1, 0, 0;"
                 : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)
                 : "l"(a), "l"(b)
                 : "memory");
}
__device__ __forceinline__ void pin(float (&d)[64]) {
    asm volatile("" : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)::"memory");
}

// Products of 64x128x16 by each warpgroup, n groups of M, waited for until `left` groups are under way.
template <int M, int LEFT>
__device__ __forceinline__ void products_of(float* c, int n) {
    __shared__ __align__(1024) char s[40960];
    for (int i = threadIdx.x; i < 40960; i += blockDim.x) s[i] = 0;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const u32 at = __cvta_generic_to_shared(s);
    const u64 shape = 1ull << 16 | (u64)(8 * 128 >> 4) << 32 | 1ull << 62;
    const u64 of_a = ((at + threadIdx.x / 128 * 8192) & 0x3ffff) >> 4 | shape, of_b = ((at + 16384) & 0x3ffff) >> 4 | shape;
    float d[64] = {};
    pin(d);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int j = 0; j < M; j++) multiply(d, of_a + 2 * (j % 4), of_b + 2 * (j % 4));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    pin(d);
    float sum = 0;
    for (int i = 0; i < 64; i++) sum += d[i];
    c[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
//: products_1_0 products_1_0 132 128 512 0 zeros
//: products_1_0_two products_1_0 132 256 512 0 zeros
//: products_2_0 products_2_0 132 128 256 0 zeros
//: products_4_0 products_4_0 132 128 128 0 zeros
//: products_4_0_two products_4_0 132 256 128 0 zeros
//: products_12_0 products_12_0 132 128 64 0 zeros
//: products_12_0_two products_12_0 132 256 64 0 zeros
//: products_4_1 products_4_1 132 128 128 0 zeros
//: products_4_1_two products_4_1 132 256 128 0 zeros
BENCH(products_1_0, float, float) { products_of<1, 0>(c, n); }
BENCH(products_2_0, float, float) { products_of<2, 0>(c, n); }
BENCH(products_4_0, float, float) { products_of<4, 0>(c, n); }
BENCH(products_12_0, float, float) { products_of<12, 0>(c, n); }
BENCH(products_4_1, float, float) { products_of<4, 1>(c, n); }
