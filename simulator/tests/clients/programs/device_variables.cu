// __device__ variables: initialised, counted on by a kernel, read by address.
#include "check.h"
__device__ int counter = 40;
__device__ double table[5] = {0.5, 1.5, 2.5, 3.5, 4.5};
__global__ void use() { if (threadIdx.x < 5) table[threadIdx.x] *= 2; atomicAdd(&counter, 1); }
int main() {
    use<<<1, 2>>>(); use<<<3, 5>>>();
    int n; CALL(cudaMemcpyFromSymbol(&n, counter, 4)); CHECK(n == 57);
    void *at; CALL(cudaGetSymbolAddress(&at, table));
    double last; CALL(cudaMemcpy(&last, (char *)at + 32, 8, cudaMemcpyDeviceToHost)); CHECK(last == 4.5 * 8);
    double first; CALL(cudaMemcpyFromSymbol(&first, table, 8)); CHECK(first == 0.5 * 16);
}
