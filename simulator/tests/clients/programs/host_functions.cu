// Functions of the host in the order of a stream, and a callback that learns the result.
#include "check.h"
static int order[3], next = 0;
static void note(void *what) { order[next++] = *(int *)what; }
static void CUDART_CB done(cudaStream_t, cudaError_t status, void *what) { if (status == cudaSuccess) note(what); }
__global__ void set(int *x) { *x = 11; }
int main() {
    int *x; CALL(cudaMallocManaged(&x, 4)); *x = 1; int two = 2, three = 3; cudaStream_t s; CALL(cudaStreamCreate(&s));
    CALL(cudaStreamSynchronize(s));
    set<<<1, 1, 0, s>>>(x); CALL(cudaLaunchHostFunc(s, note, x)); CALL(cudaStreamAddCallback(s, done, &two, 0)); CALL(cudaLaunchHostFunc(s, note, &three));
    CALL(cudaStreamSynchronize(s)); CHECK(next == 3 && order[0] == 11 && order[1] == 2 && order[2] == 3);
}
