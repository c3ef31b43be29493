// Memory in the order of a stream, from the device's pool and from one of our own.
#include "check.h"
__global__ void fill(int *x, int v) { x[threadIdx.x] = v; }
int main() {
    cudaStream_t s; CALL(cudaStreamCreate(&s)); int *x, y[64]; cudaMemPool_t pool, own; unsigned long long keep = ~0ull;
    CALL(cudaDeviceGetDefaultMemPool(&pool, 0)); CALL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    for (int i = 0; i < 5; i++) {
        CALL(cudaMallocAsync(&x, 256, s)); fill<<<1, 64, 0, s>>>(x, i); CALL(cudaMemcpyAsync(y, x, 256, cudaMemcpyDeviceToHost, s));
        CALL(cudaFreeAsync(x, s)); CALL(cudaStreamSynchronize(s)); CHECK(y[63] == i);
    }
    cudaMemPoolProps p = {}; p.allocType = cudaMemAllocationTypePinned; p.location.type = cudaMemLocationTypeDevice; p.location.id = 0;
    CALL(cudaMemPoolCreate(&own, &p)); CALL(cudaMallocFromPoolAsync(&x, 1024, own, s)); CALL(cudaFreeAsync(x, s)); CALL(cudaStreamSynchronize(s)); CALL(cudaMemPoolDestroy(own));
}
