// Whose value stays where lanes of a warp store to one place: docs/measurements/h200-instructions.md has the rule, which each place is compared with.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
template <class T> __device__ T val(int lane) { T v; memset(&v, 0, sizeof v); ((unsigned char*)&v)[0] = lane + 1; if (sizeof(T) > 1) ((unsigned char*)&v)[sizeof(T) - 1] = lane + 1; return v; }
template <class T> __global__ void go(T* out, const int* where, unsigned mask, int shared) {
    __shared__ T s[64];
    int lane = threadIdx.x, at = where[lane];
    T zero; memset(&zero, 0, sizeof zero);
    s[lane] = zero; s[lane + 32] = zero; __syncwarp();
    T v = val<T>(lane);
    if (mask >> lane & 1) { if (shared) s[at] = v; else out[at] = v; }
    __syncwarp();
    if (shared) { __syncthreads(); out[lane] = s[lane]; out[lane + 32] = s[lane + 32]; }
}
unsigned rnd = 777; unsigned r() { return rnd = rnd * 1664525u + 1013904223u, rnd >> 8; }
template <class T> void run(const char* name) {
    T* out; int* where; cudaMallocManaged(&out, 64 * sizeof(T)); cudaMallocManaged(&where, 128);
    int part = sizeof(T) == 16 ? 8 : sizeof(T) == 8 ? 16 : 32;
    for (int shared = 0; shared < 2; ++shared) {
        int as = 0, not_as = 0, torn = 0;
        for (int t = 0; t < 1000; ++t) {
            unsigned mask = t < 80 ? ~0u : r() ^ r() << 16;
            for (int l = 0; l < 32; ++l) where[l] = t % 8 == 0 ? 0 : t % 8 == 1 ? l / 8 : t % 8 == 2 ? l % 4 : t % 8 == 3 ? l / 2 : t % 8 == 4 ? r() % 8 : t % 8 == 5 ? r() % 32 : t % 8 == 6 ? r() % 2 * 32 : l % 16 * 2;
            memset(out, 0, 64 * sizeof(T));
            go<T><<<1, 32>>>(out, where, mask, shared); cudaDeviceSynchronize();
            for (int p = 0; p < 64; ++p) {
                int n = 0, want = -1;
                for (int l = 0; l < 32; ++l) if (mask >> l & 1 && where[l] == p) { ++n; if (want < 0 || l / part != want / part) want = l; }
                if (n < 2) continue;
                unsigned char* b = (unsigned char*)&out[p]; int w = b[0] - 1, e = b[sizeof(T) - 1] - 1;
                torn += w != e; (w == want ? as : not_as)++;
            }
        }
        printf("%-6s %-6s as the rule %d, not %d, torn %d\n", name, shared ? "shared" : "global", as, not_as, torn);
    }
}
int main() { run<unsigned char>("u8"); run<unsigned short>("u16"); run<unsigned>("u32"); run<uint2>("v2.u32"); run<unsigned long long>("u64"); run<uint4>("v4.u32"); }
