// A graph built node by node: fill, copy, kernel, host function; then other parameters in the executable graph.
#include "check.h"
__global__ void scale(float *x, float by) { x[blockIdx.x * blockDim.x + threadIdx.x] *= by; }
static int calls = 0;
static void count(void *by) { calls += *(int *)by; }
int main() {
    const int n = 256; float *x, host[n]; CALL(cudaMalloc(&x, n * 4)); for (int i = 0; i < n; i++) host[i] = i + 1;
    cudaGraph_t graph; CALL(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t fill, copy, kernel, back, call;
    cudaMemsetParams m = {}; m.dst = x; m.elementSize = 4; m.width = n; m.height = 1; m.value = 0;
    CALL(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &m));
    CALL(cudaGraphAddMemcpyNode1D(&copy, graph, &fill, 1, x, host, n * 2, cudaMemcpyHostToDevice));
    float by = 3; void *arguments[] = {&x, &by};
    cudaKernelNodeParams k = {}; k.func = (void *)scale; k.gridDim = dim3(2); k.blockDim = dim3(128); k.kernelParams = arguments;
    CALL(cudaGraphAddKernelNode(&kernel, graph, &copy, 1, &k));
    float result[n];
    CALL(cudaGraphAddMemcpyNode1D(&back, graph, &kernel, 1, result, x, n * 4, cudaMemcpyDeviceToHost));
    int step = 5; cudaHostNodeParams h = {count, &step};
    CALL(cudaGraphAddHostNode(&call, graph, &back, 1, &h));
    cudaGraphNodeType type; CALL(cudaGraphNodeGetType(kernel, &type)); CHECK(type == cudaGraphNodeTypeKernel);
    cudaGraphExec_t ready; CALL(cudaGraphInstantiate(&ready, graph, 0));
    cudaStream_t s; CALL(cudaStreamCreate(&s));
    CALL(cudaGraphLaunch(ready, s)); CALL(cudaStreamSynchronize(s));
    for (int i = 0; i < n; i++) CHECK(result[i] == (i < n / 2 ? 3 * host[i] : 0));
    by = 10; CALL(cudaGraphExecKernelNodeSetParams(ready, kernel, &k));
    CALL(cudaGraphLaunch(ready, s)); CALL(cudaStreamSynchronize(s));
    CHECK(result[1] == 20 && calls == 10);
    // What nodes were made with, and a kernel that is switched off.
    cudaMemsetParams asked; CALL(cudaGraphMemsetNodeGetParams(fill, &asked)); CHECK(asked.dst == x && asked.width == n && asked.elementSize == 4);
    cudaHostNodeParams told; CALL(cudaGraphHostNodeGetParams(call, &told)); CHECK(told.fn == count && told.userData == &step);
    unsigned is_on = 1; CALL(cudaGraphNodeSetEnabled(ready, kernel, 0)); CALL(cudaGraphNodeGetEnabled(ready, kernel, &is_on)); CHECK(!is_on);
    CALL(cudaGraphLaunch(ready, s)); CALL(cudaStreamSynchronize(s));
    CHECK(result[1] == 2 && calls == 15);
}
