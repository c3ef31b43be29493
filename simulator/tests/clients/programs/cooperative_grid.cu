// A barrier over the whole grid: each block needs what all others wrote before it.
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void rotate(int *x, int n, int steps) {
    cg::grid_group grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < steps; s++) { int v = x[(i + 1) % n]; grid.sync(); x[i] = v + 1; grid.sync(); }
}
int main() {
    const int threads = 128; int blocks, n, steps = 5, *x, yes;
    CALL(cudaDeviceGetAttribute(&yes, cudaDevAttrCooperativeLaunch, 0)); CHECK(yes);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rotate, threads, 0)); CHECK(blocks > 0);
    blocks = 6; n = blocks * threads;
    CALL(cudaMallocManaged(&x, n * 4)); for (int i = 0; i < n; i++) x[i] = i;
    void *arguments[] = {&x, &n, &steps};
    CALL(cudaLaunchCooperativeKernel((void *)rotate, dim3(blocks), dim3(threads), arguments, 0, 0));
    CALL(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) CHECK(x[i] == (i + steps) % n + steps);
}
