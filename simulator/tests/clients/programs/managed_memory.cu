// One pointer for host and device: cudaMallocManaged, a __managed__ variable, advice and prefetch.
#include "check.h"
__managed__ int shared_counter = 3;
__global__ void twice(int *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { x[i] *= 2; atomicAdd(&shared_counter, 1); } }
int main() {
    const int n = 1000; int *x;
    CALL(cudaMallocManaged(&x, n * 4));
    for (int i = 0; i < n; i++) x[i] = i;
    twice<<<4, 256>>>(x, n);
    CALL(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) CHECK(x[i] == 2 * i);
    CHECK(shared_counter == 1003);
    shared_counter = 10;
    twice<<<1, 10>>>(x, n);
    CALL(cudaDeviceSynchronize());
    CHECK(shared_counter == 20 && x[9] == 36 && x[10] == 20);
    cudaPointerAttributes a; CALL(cudaPointerGetAttributes(&a, x)); CHECK(a.type == cudaMemoryTypeManaged && a.device == 0);
    CALL(cudaFree(x));
}
