// Latency and rate of loads of 4, 8 and 16 bytes a lane from shared memory, by where the lanes look. clock.md has what was found on an H200.
// A latency of 8 and 16 bytes has the sums of its words in it: one and two exclusive ors behind each other.
//
//   nvcc -arch=sm_90 -O3 -o rate h200-shared-rate.cu && ./rate

#include <cstdio>
template<int W> __device__ __forceinline__ unsigned ld(unsigned a) {
    unsigned x, y, z, w;
    if (W == 4) { asm volatile("ld.shared.u32 %0,[%1];" : "=r"(x) : "r"(a)); return x; }
    if (W == 8) { asm volatile("ld.shared.v2.u32 {%0,%1},[%2];" : "=r"(x), "=r"(y) : "r"(a)); return x ^ y; }
    asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(a)); return (x ^ y) ^ (z ^ w);
}
__device__ int place(int kind, int l) { return kind == 0 ? 0 : kind == 1 ? l : kind == 2 ? l / 2 : kind == 3 ? l / 16 : kind == 4 ? l * 2 : kind == 5 ? l / 4 : l % 8; }
template<int W> __global__ void latency(int kind, int* out) {
    __shared__ __align__(16) unsigned s[4096];
    unsigned base = (unsigned)__cvta_generic_to_shared(s);
    int l = threadIdx.x & 31, e = place(kind, l);
    unsigned at = base + e * W;
    for (int i = threadIdx.x; i < 4096; i += 32) s[i] = 0;
    __syncthreads();
    s[e * W / 4] = at;
    __syncthreads();
    unsigned a = at;
    for (int k = 0; k < 2; ++k) {
        __syncthreads(); int t = clock(); __syncthreads();
#pragma unroll
        for (int i = 0; i < 64; ++i) a = ld<W>(a);
        if (a == 1) out[9] = 1;
        __syncthreads(); int u = clock();
        if (threadIdx.x == 0) out[k] = u - t;
    }
}
template<int W> __global__ void rate(int kind, int* out) {
    __shared__ __align__(16) unsigned s[8192];
    unsigned base = (unsigned)__cvta_generic_to_shared(s);
    int l = threadIdx.x & 31, e = place(kind, l);
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) s[i] = 0;
    unsigned sum[4] = {};
    unsigned at = base + e * W;
    for (int k = 0; k < 3; ++k) {
        __syncthreads(); int t = clock(); __syncthreads();
        for (int turn = 0; turn < 32; ++turn) {
#pragma unroll
            for (int i = 0; i < 16; ++i) sum[i & 3] ^= ld<W>(at + i * 1024);
            at += sum[0];
        }
        if (sum[1] + sum[2] + sum[3] == 1) out[9] = 1;
        __syncthreads(); int u = clock();
        if (threadIdx.x == 0) out[k] = u - t;
    }
}
int main() {
    int* out; cudaMallocManaged(&out, 4096);
    const char* kinds[] = {"uniform", "dense", "pairs", "halves", "stride 2", "fours", "modulo 8"};
    for (int k = 0; k < 7; ++k) {
        printf("latency %-9s", kinds[k]);
#define L(W) latency<W><<<1, 32>>>(k, out); cudaDeviceSynchronize(); printf("  %d B %.2f", W, out[1] / 64.);
        L(4) L(8) L(16) printf("\n");
    }
    for (int warps : {1, 4, 8, 16, 32}) for (int k = 0; k < 7; ++k) {
        printf("cycles per load, %2d warps %-9s", warps, kinds[k]);
#define R(W) rate<W><<<1, 32 * warps>>>(k, out); cudaDeviceSynchronize(); printf("  %d B %.2f", W, out[2] / 512. / warps);
        R(4) R(8) R(16) printf("\n");
    }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
