// Host memory that the device reads and writes in place; memory registered after the fact; what pointers are.
#include "check.h"
#include <vector>
__global__ void negate(int *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = -x[i]; }
int main() {
    const int n = 2048; int *host, *seen;
    CALL(cudaSetDeviceFlags(cudaDeviceMapHost));
    CALL(cudaHostAlloc(&host, n * 4, cudaHostAllocMapped | cudaHostAllocPortable)); CALL(cudaHostGetDevicePointer(&seen, host, 0));
    for (int i = 0; i < n; i++) host[i] = i;
    negate<<<8, 256>>>(seen, n); CALL(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) CHECK(host[i] == -i);
    cudaPointerAttributes a; CALL(cudaPointerGetAttributes(&a, host)); CHECK(a.type == cudaMemoryTypeHost && a.hostPointer == host);
    unsigned flags; CALL(cudaHostGetFlags(&flags, host)); CHECK(flags & cudaHostAllocMapped);
    std::vector<int> later(n, 7);
    CALL(cudaHostRegister(later.data(), n * 4, cudaHostRegisterMapped)); CALL(cudaHostGetDevicePointer(&seen, later.data(), 0));
    negate<<<8, 256>>>(seen, n); CALL(cudaDeviceSynchronize()); CHECK(later[n - 1] == -7);
    CALL(cudaHostUnregister(later.data()));
    CALL(cudaPointerGetAttributes(&a, &a)); CHECK(a.type == cudaMemoryTypeUnregistered);
    int *d; CALL(cudaMalloc(&d, 4)); CALL(cudaPointerGetAttributes(&a, d)); CHECK(a.type == cudaMemoryTypeDevice && a.devicePointer == d && !a.hostPointer);
    CALL(cudaFreeHost(host));
}
