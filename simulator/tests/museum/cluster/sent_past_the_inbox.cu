// The block of rank 0 has an inbox of three elements for the values of four blocks: the last one lands in its counts.
// requires: sm_90
// launch: grid 4 block 32
// arg: int out[4] = zeros
// finds: out of bounds
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(4, 1, 1) gather(int* out) {
    __shared__ int inbox[3];
    __shared__ int counts[32];
    auto cluster = cg::this_cluster();
    counts[threadIdx.x] = 0;
    cluster.sync();
    if (threadIdx.x == 0) {
        cluster.map_shared_rank(inbox, 0)[cluster.block_rank()] = 1;
    }
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x < 3) {
        out[threadIdx.x] = inbox[threadIdx.x] + counts[threadIdx.x + 1];
    }
}
