// Answers of a driver where its documentation leaves it open: waits of a stream for a value, questions that are not ready, a pool's mark.
// `h100-driver.md` has the command and the answers.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <thread>

__global__ void spin(long long clocks) {
    long long begin = clock64();
    while (clock64() - begin < clocks) {}
}

static void rest(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }
static bool over(CUstream stream) { return cuStreamQuery(stream) == CUDA_SUCCESS; }

// Tells if a wait for `value` is over where `found` lies in memory; then lets it end.
template <typename T> static void wait_for(CUstream waits, CUstream writes, CUdeviceptr at, T found, T value, unsigned flags) {
    cuMemcpyHtoD(at, &found, sizeof(T));
    CUresult result = sizeof(T) == 4 ? cuStreamWaitValue32(waits, at, (cuuint32_t)value, flags)
                                     : cuStreamWaitValue64(waits, at, value, flags);
    rest(20);
    printf("wait%d found %llx value %llx flags %x: %d, %s\n", (int)sizeof(T) * 8, (unsigned long long)found,
           (unsigned long long)value, flags, (int)result, over(waits) ? "over" : "waits");
    for (T ends : {value, (T)(value | 1), (T)~value}) {
        if (over(waits)) break;
        sizeof(T) == 4 ? cuStreamWriteValue32(writes, at, (cuuint32_t)ends, 0) : cuStreamWriteValue64(writes, at, ends, 0);
        cuStreamSynchronize(writes);
        rest(5);
    }
}

static void values() {
    CUdeviceptr at;
    CUstream waits, writes;
    cuMemAlloc(&at, 64);
    cuStreamCreate(&waits, CU_STREAM_NON_BLOCKING);
    cuStreamCreate(&writes, CU_STREAM_NON_BLOCKING);
    struct { uint32_t found, value; unsigned flags; } words[] = {
        {5, 5, 0}, {6, 5, 0}, {4, 5, 0}, {1, ~0u, 0}, {~0u, 1, 0}, {0x80000005, 5, 0}, {0x80000004, 5, 0}, {7, 7, 1},
        {8, 7, 1}, {6, 2, 2}, {5, 2, 2}, {1, 2, 3}, {0xfffffff0, 0xf, 3}, {5, 5, 4}, {5, 5, CU_STREAM_WAIT_VALUE_FLUSH}};
    for (auto word : words) wait_for<uint32_t>(waits, writes, at, word.found, word.value, word.flags);
    struct { uint64_t found, value; unsigned flags; } longs[] = {
        {1, 0xffffffff, 0}, {1, ~0ull, 0}, {0xfffffff0, 0xf, 3}, {~0ull << 4, 0xf, 3}};
    for (auto one : longs) wait_for<uint64_t>(waits, writes, at, one.found, one.value, one.flags);
    int local = 0;
    printf("not aligned: %d\n", cuStreamWaitValue32(waits, at + 2, 0, 0));
    printf("pageable memory: %d\n", cuStreamWaitValue32(waits, (CUdeviceptr)&local, 0, 0));
}

static void not_ready() {
    cudaEvent_t event;
    float milliseconds;
    cudaEventCreate(&event);
    spin<<<1, 1>>>(400000000);
    cudaEventRecord(event);
    cudaError_t first = cudaEventQuery(event), kept = cudaGetLastError();
    printf("cudaEventQuery: %d, kept %d\n", first, kept);
    first = cudaStreamQuery(0), kept = cudaGetLastError();
    printf("cudaStreamQuery: %d, kept %d\n", first, kept);
    first = cudaEventElapsedTime(&milliseconds, event, event), kept = cudaGetLastError();
    printf("cudaEventElapsedTime: %d, kept %d\n", first, kept);
    cudaDeviceSynchronize();
}

static void show(cudaMemPool_t pool, const char *when) {
    uint64_t most, now;
    cudaDeviceSynchronize();
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &most);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &now);
    printf("%s: most %llu, now %llu\n", when, (unsigned long long)most, (unsigned long long)now);
}

static void mark() {
    cudaMemPool_t pool;
    void *first, *second;
    uint64_t none = 0, some = 7;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    cudaMallocAsync(&first, 1000, 0);
    cudaMallocAsync(&second, 5000, 0);
    show(pool, "two");
    cudaFreeAsync(second, 0);
    show(pool, "one freed");
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &none);
    show(pool, "mark set to 0");
    cudaFreeAsync(first, 0);
    show(pool, "both freed");
    printf("mark set to 7: %d\n", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &some));
}

int main() {
    cudaFree(nullptr);
    values();
    not_ready();
    mark();
}
