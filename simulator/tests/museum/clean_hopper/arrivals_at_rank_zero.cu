// Each block of a cluster sends values to the block of rank 0, that block too, and arrives at its barrier.
// requires: sm_90
// launch: grid 4 block 32
// arg: int out[4] = zeros
#include <cooperative_groups.h>
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait(unsigned barrier) {
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::"r"(barrier) : "memory");
}
extern "C" __global__ void __cluster_dims__(4, 1, 1) gather(int* out) {
    __shared__ int values[8];
    __shared__ unsigned long long arrived;
    auto cluster = cooperative_groups::this_cluster();
    const unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 12; fence.mbarrier_init.release.cluster;" ::"r"(at(&arrived)) : "memory");
    }
    cluster.sync();
    if (threadIdx.x == 0) {
        int* const inbox = cluster.map_shared_rank(values, 0);
        unsigned remote;
        asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(remote) : "r"(at(&arrived)));
        inbox[rank] = 1;
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");
        inbox[4 + rank] = 2;
        asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(at(cluster.map_shared_rank(&arrived, 0))) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], 0;" ::"r"(remote) : "memory");
        for (int i = 0; rank == 0 && i < 4; ++i) {
            wait(at(&arrived));
            out[i] = values[i] + values[4 + i];
        }
    }
    cluster.sync();
}
