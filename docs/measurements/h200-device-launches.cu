// On a card: how long the launches of a kernel take, of one thread in turn and of many at once.
// nvcc -O2 -rdc=true -arch=sm_90 -o launches docs/measurements/h200-device-launches.cu -lcudadevrt && ./launches; < 30 s
#include <cstdio>
#include <algorithm>
#include <vector>
__global__ void child(int* p) { if (threadIdx.x == 0) atomicAdd(p, 1); }
__global__ void empty(int* p) { if (p == nullptr) *p = 1; }
template <int S> __device__ void go(int* p, int blocks) {
  if (S == 0) child<<<blocks, 256, 0, cudaStreamFireAndForget>>>(p);
  if (S == 1) child<<<blocks, 256>>>(p);
}
template <int S> __global__ void byThreads(int* p, int n, int blocks) { int t = blockIdx.x * blockDim.x + threadIdx.x; if (t < n) go<S>(p, blocks); }
template <int S> __global__ void byOne(int* p, int n, int blocks) { if (blockIdx.x + threadIdx.x == 0) for (int i = 0; i < n; ++i) go<S>(p, blocks); }
template <class F> float med(F f) { cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); std::vector<float> v; for (int i = 0; i < 9; ++i) { cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b); float ms; cudaEventElapsedTime(&ms, a, b); v.push_back(ms * 1e3f); } std::sort(v.begin(), v.end()); return v[4]; }
int main() { setvbuf(stdout, nullptr, _IOLBF, 0);
  cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 8192);
  int* p; cudaMalloc(&p, 64); cudaMemset(p, 0, 64);
  printf("what,parents,children,blocks of a child,us\n");
  printf("empty,1,0,0,%.2f\n", med([&] { empty<<<1, 32>>>(p); }));
  printf("empty rdc parent n=0,1,0,0,%.2f\n", med([&] { byOne<0><<<1, 32>>>(p, 0, 1); }));
  for (int n : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048}) {
    printf("ff one thread,1,%d,1,%.2f\n", n, med([&] { byOne<0><<<1, 32>>>(p, n, 1); }));
    printf("null one thread,1,%d,1,%.2f\n", n, med([&] { byOne<1><<<1, 32>>>(p, n, 1); }));
    printf("ff threads of a block,1,%d,1,%.2f\n", n, med([&] { byThreads<0><<<(n + 255) / 256, 256>>>(p, n, 1); }));
    printf("ff a thread a block,%d,%d,1,%.2f\n", n, n, med([&] { byThreads<0><<<n, 1>>>(p, n, 1); }));
    printf("null a thread a block,%d,%d,1,%.2f\n", n, n, med([&] { byThreads<1><<<n, 1>>>(p, n, 1); }));
    printf("ff threads of a block 16,1,%d,16,%.2f\n", n, med([&] { byThreads<0><<<(n + 255) / 256, 256>>>(p, n, 16); }));
  }
  int h; cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost); printf("# %d %s\n", h, cudaGetErrorString(cudaGetLastError()));
}
