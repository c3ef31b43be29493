// nvcc: -arch=sm_90
// profile: h200
// Clusters of two blocks that read each other's shared memory, launched by cudaLaunchKernelEx.
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void swap(int *x) {
    __shared__ int own; cg::cluster_group c = cg::this_cluster();
    if (threadIdx.x == 0) own = blockIdx.x * 10;
    c.sync(); int other = *c.map_shared_rank(&own, c.block_rank() ^ 1); c.sync();
    if (threadIdx.x == 0) x[blockIdx.x] = other;
}
int main() {
    int *x; CALL(cudaMallocManaged(&x, 32)); cudaLaunchConfig_t config = {}; config.gridDim = dim3(8); config.blockDim = dim3(32);
    cudaLaunchAttribute a; a.id = cudaLaunchAttributeClusterDimension; a.val.clusterDim.x = 2; a.val.clusterDim.y = a.val.clusterDim.z = 1; config.attrs = &a; config.numAttrs = 1;
    CALL(cudaLaunchKernelEx(&config, swap, x)); CALL(cudaDeviceSynchronize());
    for (int i = 0; i < 8; i++) CHECK(x[i] == (i ^ 1) * 10);
}
