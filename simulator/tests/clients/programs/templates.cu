// Kernels from templates, a functor, a struct by value, half a kilobyte of parameters.
#include "check.h"
#include <vector>
struct Many { int v[120]; };
template <class T, int K> __global__ void repeat(T *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) for (int k = 0; k < K; k++) x[i] = x[i] * 2 + T(1); }
template <class F> __global__ void apply(int *x, F f) { x[threadIdx.x] = f(threadIdx.x); }
__global__ void pick(int *x, Many m) { x[threadIdx.x] = m.v[threadIdx.x]; }
struct Square { int add; __device__ int operator()(int i) const { return i * i + add; } };
template <class T> void one() {
    T x[50], *d; for (int i = 0; i < 50; i++) x[i] = T(i);
    CALL(cudaMalloc(&d, sizeof x)); CALL(cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice)); repeat<T, 3><<<1, 64>>>(d, 50);
    T y[50]; CALL(cudaMemcpy(y, d, sizeof y, cudaMemcpyDeviceToHost)); for (int i = 0; i < 50; i++) CHECK(y[i] == T(x[i] * 8 + 7));
}
int main() {
    one<int>(); one<float>(); one<double>(); one<long long>(); one<unsigned char>();
    int *x, y[120]; CALL(cudaMalloc(&x, sizeof y)); apply<<<1, 120>>>(x, Square{5});
    CALL(cudaMemcpy(y, x, sizeof y, cudaMemcpyDeviceToHost)); CHECK(y[11] == 126);
    Many m; for (int i = 0; i < 120; i++) m.v[i] = 3 * i; pick<<<1, 120>>>(x, m);
    CALL(cudaMemcpy(y, x, sizeof y, cudaMemcpyDeviceToHost)); CHECK(y[119] == 357);
}
