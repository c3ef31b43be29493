// nvcc: -rdc=true two_units_other.cu
// Device code of two files, linked at run time: a function and a variable of the other file.
#include "check.h"
extern __device__ int other(int x);
extern __device__ int shared_variable;
__global__ void use(int *x) { x[threadIdx.x] = other(threadIdx.x) + shared_variable; }
extern void set(int value);
int main() { int *x, y[32]; CALL(cudaMalloc(&x, 128)); set(100); use<<<1, 32>>>(x); CALL(cudaMemcpy(y, x, 128, cudaMemcpyDeviceToHost)); for (int i = 0; i < 32; i++) CHECK(y[i] == i * 3 + 100); }
