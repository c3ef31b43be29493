// Work of two streams captured into a graph, launched ten times.
#include "check.h"
__global__ void add(int *x, int by) { x[threadIdx.x] += by; }
int main() {
    int *x, *y, a[32], b[32]; CALL(cudaMalloc(&x, 128)); CALL(cudaMalloc(&y, 128)); CALL(cudaMemset(x, 0, 128)); CALL(cudaMemset(y, 0, 128));
    cudaStream_t s, t; CALL(cudaStreamCreate(&s)); CALL(cudaStreamCreate(&t));
    cudaEvent_t fork, join; CALL(cudaEventCreate(&fork)); CALL(cudaEventCreate(&join));
    CALL(cudaDeviceSynchronize());
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CALL(cudaEventRecord(fork, s)); CALL(cudaStreamWaitEvent(t, fork, 0));
    add<<<1, 32, 0, s>>>(x, 1); add<<<1, 32, 0, t>>>(y, 2);
    CALL(cudaEventRecord(join, t)); CALL(cudaStreamWaitEvent(s, join, 0));
    CALL(cudaMemcpyAsync(y + 16, x, 64, cudaMemcpyDeviceToDevice, s));
    cudaStreamCaptureStatus status; CALL(cudaStreamIsCapturing(s, &status)); CHECK(status == cudaStreamCaptureStatusActive);
    cudaGraph_t graph; CALL(cudaStreamEndCapture(s, &graph));
    size_t nodes; CALL(cudaGraphGetNodes(graph, nullptr, &nodes)); CHECK(nodes == 3);
    cudaGraphExec_t ready; CALL(cudaGraphInstantiate(&ready, graph, 0));
    for (int i = 0; i < 10; i++) CALL(cudaGraphLaunch(ready, s));
    CALL(cudaStreamSynchronize(s));
    CALL(cudaMemcpy(a, x, 128, cudaMemcpyDeviceToHost)); CALL(cudaMemcpy(b, y, 128, cudaMemcpyDeviceToHost));
    CHECK(a[0] == 10 && a[31] == 10 && b[0] == 20 && b[31] == 10);
    CALL(cudaGraphExecDestroy(ready)); CALL(cudaGraphDestroy(graph));
}
