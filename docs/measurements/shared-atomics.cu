// Atomics on shared memory: clocks for each `atomicAdd` of a warp, by type, lanes that meet in one element, and warps of one block.
//     nvcc -arch=sm_90 -o shared-atomics docs/measurements/shared-atomics.cu && ./shared-atomics > shared-atomics.csv
// `meet` lanes of a warp share an element; `apart` gives each warp its own elements, else all warps have the same. `used` takes the old value.
#include <cstdio>

template <typename T, bool Used> __global__ void add(long long* clocks, T* sink, T own, int meet, int apart, int turns) {
    __shared__ T elements[32 * 32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    for (int i = t; i < 1024; i += blockDim.x) elements[i] = 0;
    __syncthreads();
    T* element = &elements[lane / meet + (apart ? warp * 32 : 0)];
    T sum = 0;
    long long begin = clock64();
    for (int turn = 0; turn < turns; turn++) {
        T old = atomicAdd(element, own);
        if (Used) sum += old;
    }
    __syncthreads();
    long long end = clock64();
    if (t == 0) clocks[0] = end - begin;
    sink[t] = elements[t % 1024] + sum;
}

template <typename T, bool Used> void measure(const char* type) {
    long long* clocks;
    T* sink;
    cudaMallocManaged(&clocks, 8);
    cudaMallocManaged(&sink, 1024 * sizeof(T));
    for (int apart = 0; apart < 2; apart++)
        for (int warps = 1; warps <= 32; warps *= 2)
            for (int meet = 1; meet <= 32; meet *= 2) {
                const int turns = 64;
                long long best = 1ll << 60;
                for (int run = 0; run < 5; run++) {
                    add<T, Used><<<1, 32 * warps>>>(clocks, sink, T(3), meet, apart, turns);
                    if (cudaDeviceSynchronize() != cudaSuccess) return void(printf("%s: %s\n", type, cudaGetErrorString(cudaGetLastError())));
                    if (*clocks < best) best = *clocks;
                }
                printf("%s,%s,%d,%d,%s,%.1f\n", type, Used ? "used" : "unused", warps, meet, apart ? "apart" : "shared", double(best) / turns / warps);
            }
}

int main() {
    printf("type,old,warps,meet,elements,clocks_per_warp_instruction\n");
    measure<int, false>("int");
    measure<int, true>("int");
    measure<float, false>("float");
    measure<float, true>("float");
    measure<double, false>("double");
    measure<unsigned long long, false>("u64");
}
