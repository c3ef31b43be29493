// Passes of loads and stores of 4, 8 and 16 bytes a lane from and to shared memory, 85 patterns of lanes; h200-instructions.md has what was found.
// A line "P NAME MASK ELEMENT…" for each pattern, whose six launches follow in the profile in the order l4 l8 l16 s4 s8 s16.
//
//   nvcc -arch=sm_90 -O2 -o wide h200-shared-wide.cu
//   ncu --clock-control none --cache-control none --csv --page raw --metrics l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum ./wide

#include <cstdio>
#include <cstdint>
#include <vector>
#include <string>
#include <cstdlib>
struct P { std::string name; int at[32]; unsigned mask; };
template<int W> __global__ void kl(const int* at, unsigned mask, unsigned* out) {
    extern __shared__ __align__(16) unsigned s[];
    int lane = threadIdx.x; unsigned a = (unsigned)__cvta_generic_to_shared(s) + at[lane] * W; unsigned x=0,y=0,z=0,w=0;
    if (mask >> lane & 1) {
        if (W == 4) asm volatile("ld.shared.u32 %0,[%1];" : "=r"(x) : "r"(a));
        if (W == 8) asm volatile("ld.shared.v2.u32 {%0,%1},[%2];" : "=r"(x), "=r"(y) : "r"(a));
        if (W == 16) asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(a));
    }
    out[lane] = x + y + z + w;
}
template<int W> __global__ void ks(const int* at, unsigned mask, unsigned* out) {
    extern __shared__ __align__(16) unsigned s[];
    int lane = threadIdx.x; unsigned a = (unsigned)__cvta_generic_to_shared(s) + at[lane] * W;
    unsigned v = out[lane];
    if (mask >> lane & 1) {
        if (W == 4) asm volatile("st.shared.u32 [%1],%0;" :: "r"(v), "r"(a));
        if (W == 8) asm volatile("st.shared.v2.u32 [%1],{%0,%0};" :: "r"(v), "r"(a));
        if (W == 16) asm volatile("st.shared.v4.u32 [%1],{%0,%0,%0,%0};" :: "r"(v), "r"(a));
    }
}
int main() {
    std::vector<P> ps;
    auto add = [&](std::string n, auto f, unsigned mask = ~0u) { P p; p.name = n; p.mask = mask; for (int l = 0; l < 32; ++l) p.at[l] = f(l); ps.push_back(p); };
    add("uniform", [](int) { return 0; });
    for (int d : {2, 4, 8, 16}) add("div" + std::to_string(d), [=](int l) { return l / d; });
    for (int d : {2, 4, 8, 16}) add("mod" + std::to_string(d), [=](int l) { return l % d; });
    add("dense", [](int l) { return l; });
    add("reverse", [](int l) { return 31 - l; });
    for (int s : {2, 3, 4, 8, 16}) add("stride" + std::to_string(s), [=](int l) { return l * s; });
    for (int s : {2, 3, 4, 8, 16}) add("div2stride" + std::to_string(s), [=](int l) { return l / 2 * s; });
    for (int s : {2, 4, 8, 16}) add("div16stride" + std::to_string(s), [=](int l) { return l / 16 * s; });
    for (int s : {2, 4, 8, 16}) add("div8stride" + std::to_string(s), [=](int l) { return l / 8 * s; });
    add("pair2", [](int l) { return (l & ~3) / 2 + (l & 1); });       // l == l^2
    add("pair4", [](int l) { return (l & ~7) / 2 + (l & 3); });       // l == l^4
    add("pair2far", [](int l) { return ((l & ~3) / 2 + (l & 1)) * 5; });
    add("pair1mixed", [](int l) { return l < 16 ? l / 2 : (l & ~3) / 2 + (l & 1); });
    add("halfpairs", [](int l) { return l < 16 ? l / 2 : l; });
    add("quarterpairs", [](int l) { return l < 8 ? l / 2 : l; });
    add("firsteight", [](int l) { return l; }, 0xff);
    add("firsthalf", [](int l) { return l; }, 0xffff);
    add("evens", [](int l) { return l; }, 0x55555555);
    add("evens_dense", [](int l) { return l / 2; }, 0x55555555);
    add("every4", [](int l) { return l / 4; }, 0x11111111);
    add("two_lanes", [](int l) { return l; }, 0x80000001);
    add("two_lanes_same", [](int l) { return 0; }, 0x80000001);
    srand(7);
    for (int range : {2, 4, 8, 16, 32, 64, 128}) for (int k = 0; k < 3; ++k) { std::vector<int> v(32); for (auto& x : v) x = rand() % range; add("rand" + std::to_string(range) + "_" + std::to_string(k), [=](int l) { return v[l]; }); }
    for (int range : {4, 16, 64, 128}) for (int k = 0; k < 2; ++k) { std::vector<int> v(32); for (auto& x : v) x = rand() % range; add("randpair" + std::to_string(range) + "_" + std::to_string(k), [=](int l) { return v[l / 2]; }); }
    for (int range : {4, 16, 64, 128}) for (int k = 0; k < 2; ++k) { std::vector<int> v(32); for (auto& x : v) x = rand() % range; add("randpairx2_" + std::to_string(range) + "_" + std::to_string(k), [=](int l) { return v[(l & ~3) / 2 + (l & 1)]; }); }
    for (int k = 0; k < 6; ++k) { std::vector<int> v(32); unsigned m = rand() * 65536u ^ rand(); for (auto& x : v) x = rand() % 32; add("randmask_" + std::to_string(k), [=](int l) { return v[l]; }, m); }
    int* at; unsigned* out; cudaMalloc(&at, 128); cudaMalloc(&out, 128); cudaMemset(out, 0, 128);
    for (auto& p : ps) {
        printf("P %s %08x", p.name.c_str(), p.mask); for (int l = 0; l < 32; ++l) printf(" %d", p.at[l]); printf("\n");
        cudaMemcpy(at, p.at, 128, cudaMemcpyHostToDevice);
        kl<4><<<1, 32, 16384>>>(at, p.mask, out); kl<8><<<1, 32, 16384>>>(at, p.mask, out); kl<16><<<1, 32, 16384>>>(at, p.mask, out);
        ks<4><<<1, 32, 16384>>>(at, p.mask, out); ks<8><<<1, 32, 16384>>>(at, p.mask, out); ks<16><<<1, 32, 16384>>>(at, p.mask, out);
    }
    printf("end %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
