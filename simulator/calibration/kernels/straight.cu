// Code that each warp runs once: how long it takes to be there.
//
// requires: sm_80

typedef unsigned int u32;
#define BENCH(name, A, C) extern "C" __global__ void name(const A* __restrict__ a, const float* __restrict__ b, C* __restrict__ c, int n, int m)

// K fused multiply-adds in eight chains, one behind the other, or R rounds of them.
template <int K, int R>
__device__ __forceinline__ void straight_of(const float* a, float* c, int n) {
    float x[8], f = a[threadIdx.x];
    for (int i = 0; i < 8; i++) x[i] = i + f;
#pragma unroll 1
    for (int r = 0; r < R; r++) {
#pragma unroll
        for (int i = 0; i < K; i++) x[i % 8] = fmaf(x[i % 8], f, 1.0f + i);
    }
    float sum = 0;
    for (int i = 0; i < 8; i++) sum += x[i];
    c[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
//: straight_64 straight_64 132 32 0 0 zeros
//: straight_256 straight_256 132 32 0 0 zeros
//: straight_1024 straight_1024 132 32 0 0 zeros
//: straight_4096 straight_4096 132 32 0 0 zeros
//: straight_16384 straight_16384 132 32 0 0 zeros
//: straight_1024_one straight_1024 1 32 0 0 zeros
//: straight_1024_4w straight_1024 132 128 0 0 zeros
//: straight_1024_16w straight_1024 132 512 0 0 zeros
//: straight_4096_16w straight_4096 132 512 0 0 zeros
//: rounds_64x16 rounds_64x16 132 32 0 0 zeros
//: rounds_256x16 rounds_256x16 132 32 0 0 zeros
//: rounds_1024x4 rounds_1024x4 132 32 0 0 zeros
//: rounds_2048x4 rounds_2048x4 132 32 0 0 zeros
//: rounds_4096x4 rounds_4096x4 132 32 0 0 zeros
//: rounds_4096x4_16w rounds_4096x4 132 512 0 0 zeros
//: rounds_8192x4 rounds_8192x4 132 32 0 0 zeros
BENCH(straight_64, float, float) { straight_of<64, 1>(a, c, n); }
BENCH(straight_256, float, float) { straight_of<256, 1>(a, c, n); }
BENCH(straight_1024, float, float) { straight_of<1024, 1>(a, c, n); }
BENCH(straight_4096, float, float) { straight_of<4096, 1>(a, c, n); }
BENCH(straight_16384, float, float) { straight_of<16384, 1>(a, c, n); }
BENCH(rounds_64x16, float, float) { straight_of<64, 16>(a, c, n); }
BENCH(rounds_256x16, float, float) { straight_of<256, 16>(a, c, n); }
BENCH(rounds_1024x4, float, float) { straight_of<1024, 4>(a, c, n); }
BENCH(rounds_2048x4, float, float) { straight_of<2048, 4>(a, c, n); }
BENCH(rounds_4096x4, float, float) { straight_of<4096, 4>(a, c, n); }
BENCH(rounds_8192x4, float, float) { straight_of<8192, 4>(a, c, n); }

// A division by what nobody knows, and one by a constant: what the index arithmetic of a small kernel costs, by as many warps.
//: divides_1 divides 132 32 1 37 zeros
//: divides_4 divides 132 32 4 37 zeros
//: divides_16w divides 132 512 1 37 zeros
//: divides_64_2w divides 2112 64 1 37 zeros
BENCH(divides, float, float) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++) x = x / m + x % m;
    c[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
