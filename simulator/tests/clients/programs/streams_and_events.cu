// Four streams with pinned memory, ordered by events, timed by events.
#include "check.h"
__global__ void scale(float *x, int n, float by) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= by; }
int main() {
    const int streams = 4, n = 1 << 14;
    float *host, *device;
    CALL(cudaMallocHost(&host, streams * n * 4)); CALL(cudaMalloc(&device, streams * n * 4));
    for (int i = 0; i < streams * n; i++) host[i] = i;
    cudaStream_t stream[streams]; cudaEvent_t begin, end, half;
    CALL(cudaEventCreate(&begin)); CALL(cudaEventCreate(&end)); CALL(cudaEventCreateWithFlags(&half, cudaEventDisableTiming));
    for (auto &s : stream) CALL(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CALL(cudaEventRecord(begin, stream[0]));
    for (int s = 0; s < streams; s++) {
        CALL(cudaMemcpyAsync(device + s * n, host + s * n, n * 4, cudaMemcpyHostToDevice, stream[s]));
        scale<<<n / 256, 256, 0, stream[s]>>>(device + s * n, n, s + 1.0f);
        CALL(cudaMemcpyAsync(host + s * n, device + s * n, n * 4, cudaMemcpyDeviceToHost, stream[s]));
    }
    for (int s = 1; s < streams; s++) { CALL(cudaEventRecord(half, stream[s])); CALL(cudaStreamWaitEvent(stream[0], half, 0)); }
    CALL(cudaEventRecord(end, stream[0]));
    CALL(cudaEventSynchronize(end));
    CHECK(cudaStreamQuery(stream[3]) == cudaSuccess && cudaEventQuery(begin) == cudaSuccess);
    float ms = -1;
    CALL(cudaEventElapsedTime(&ms, begin, end));
    CHECK(ms > 0);
    for (int i = 0; i < streams * n; i++) CHECK(host[i] == float(i) * (i / n + 1));
    for (auto &s : stream) CALL(cudaStreamDestroy(s));
    CALL(cudaFreeHost(host)); CALL(cudaFree(device));
}
