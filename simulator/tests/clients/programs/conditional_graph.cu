// nvcc: -rdc=true -lcudadevrt
// Graphs whose kernels decide what runs: a loop until a count is spent, and a choice of two bodies.
#include "check.h"

__global__ void halve(int *x, int *turns, cudaGraphConditionalHandle handle) {
    *x /= 2;
    ++*turns;
    cudaGraphSetConditional(handle, *x > 0);
}

__global__ void store(int *to, int value) { *to = value; }

cudaGraphNode_t add(cudaGraph_t graph, const cudaGraphNode_t *after, cudaGraphNodeParams *parameters) {
    cudaGraphNode_t node;
#if CUDART_VERSION >= 13000
    CALL(cudaGraphAddNode(&node, graph, after, nullptr, after ? 1 : 0, parameters));
#else
    CALL(cudaGraphAddNode(&node, graph, after, after ? 1 : 0, parameters));
#endif
    return node;
}

template <typename K> cudaGraphNode_t launch(cudaGraph_t graph, const cudaGraphNode_t *after, K *kernel, void **arguments) {
    cudaGraphNodeParams parameters = {};
    parameters.type = cudaGraphNodeTypeKernel;
    parameters.kernel.func = (void *)kernel;
    parameters.kernel.gridDim = parameters.kernel.blockDim = dim3(1);
    parameters.kernel.kernelParams = arguments;
    return add(graph, after, &parameters);
}

int main() {
    int *x;
    CALL(cudaMallocManaged(&x, 3 * sizeof(int)));
    x[0] = 37, x[1] = 0, x[2] = 0;
    cudaGraph_t graph;
    CALL(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle loops, chooses;
    CALL(cudaGraphConditionalHandleCreate(&loops, graph, 1, cudaGraphCondAssignDefault));
    CALL(cudaGraphConditionalHandleCreate(&chooses, graph, 0, cudaGraphCondAssignDefault));
    cudaGraphNodeParams parameters = {};
    parameters.type = cudaGraphNodeTypeConditional;
    parameters.conditional.handle = loops;
    parameters.conditional.type = cudaGraphCondTypeWhile;
    parameters.conditional.size = 1;
    cudaGraphNode_t loop = add(graph, nullptr, &parameters);
    int *turns = x + 1;
    void *halved[] = {&x, &turns, &loops};
    launch(parameters.conditional.phGraph_out[0], nullptr, halve, halved);
    // After the loop: the second of two bodies.
    parameters.conditional.handle = chooses;
    parameters.conditional.type = cudaGraphCondTypeIf;
    parameters.conditional.size = 2;
    add(graph, &loop, &parameters);
    int *chosen = x + 2, first = 1, second = 2;
    void *one[] = {&chosen, &first}, *two[] = {&chosen, &second};
    launch(parameters.conditional.phGraph_out[0], nullptr, store, one);
    launch(parameters.conditional.phGraph_out[1], nullptr, store, two);
    cudaGraphExec_t executable;
    CALL(cudaGraphInstantiate(&executable, graph, 0));
    CALL(cudaGraphLaunch(executable, 0));
    CALL(cudaDeviceSynchronize());
    // 37, 18, 9, 4, 2, 1, 0: six halvings.
    CHECK(x[0] == 0 && x[1] == 6 && x[2] == 2);
    CALL(cudaGraphExecDestroy(executable));
    CALL(cudaGraphDestroy(graph));
    return 0;
}
