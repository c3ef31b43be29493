// The other half of two_units.cu.
#include "check.h"
__device__ int shared_variable = 1;
__device__ int other(int x) { return x * 3; }
__global__ void write(int value) { shared_variable = value; }
void set(int value) { write<<<1, 1>>>(value); CALL(cudaGetLastError()); }
