// What is known of the device, and of the versions.
#include "check.h"
#include <cstring>
int main() {
    int n, device, value, runtime, driver; cudaDeviceProp p;
    CALL(cudaGetDeviceCount(&n)); CHECK(n >= 1); CALL(cudaGetDevice(&device)); CHECK(device == 0);
    CALL(cudaGetDeviceProperties(&p, 0));
    CHECK(std::strlen(p.name) > 3 && p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.major >= 5 && p.totalGlobalMem > size_t(1) << 29);
    CHECK(p.maxThreadsDim[2] == 64 && p.maxGridSize[0] == 2147483647 && p.totalConstMem == 65536 && p.multiProcessorCount > 0);
    CALL(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0)); CHECK(value == p.multiProcessorCount);
    CALL(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0)); CHECK(size_t(value) == p.sharedMemPerBlockOptin);
    CALL(cudaDeviceGetAttribute(&value, cudaDevAttrUnifiedAddressing, 0)); CHECK(value == p.unifiedAddressing);
    CHECK(p.maxThreadsPerMultiProcessor >= 1024 && p.regsPerMultiprocessor >= 32768 && p.memoryBusWidth >= 64 && p.l2CacheSize > 0);
    CALL(cudaRuntimeGetVersion(&runtime)); CALL(cudaDriverGetVersion(&driver)); CHECK(runtime == CUDART_VERSION && driver >= 12000);
    size_t free, total; CALL(cudaMemGetInfo(&free, &total)); CHECK(free <= total && total == p.totalGlobalMem);
    char id[32]; CALL(cudaDeviceGetPCIBusId(id, sizeof id, 0)); CALL(cudaDeviceGetByPCIBusId(&device, id)); CHECK(device == 0);
    size_t limit; CALL(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 21)); CALL(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize)); CHECK(limit >= 1 << 21);
    int least, greatest; CALL(cudaDeviceGetStreamPriorityRange(&least, &greatest)); CHECK(greatest <= least);
}
