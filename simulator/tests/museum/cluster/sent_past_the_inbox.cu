// The block of rank 0 has an inbox of three elements for the values of four blocks: the last one lands in its counts.
// requires: sm_90
// launch: grid 4 block 32
// arg: int out[32] = zeros
// finds: out of bounds
#include <cooperative_groups.h>
extern "C" __global__ void __cluster_dims__(4, 1, 1) gather(int* out) {
    __shared__ int inbox[3], counts[32];
    auto cluster = cooperative_groups::this_cluster();
    counts[threadIdx.x] = 0;
    cluster.sync();
    cluster.map_shared_rank(inbox, 0)[cluster.block_rank()] = 1;
    cluster.sync();
    if (cluster.block_rank() == 0) {
        out[threadIdx.x] = inbox[threadIdx.x % 3] + counts[threadIdx.x];
    }
}
