// Each block of a cluster sends a value to the block of rank 0, that block too, and arrives at its barrier.
// requires: sm_90
// launch: grid 4 block 32
// arg: int out[4] = zeros
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait(unsigned barrier, int parity) {
    unsigned over = 0;
    while (over == 0) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    }
}
extern "C" __global__ void __cluster_dims__(4, 1, 1) gather(int* out) {
    __shared__ int values[8];
    __shared__ unsigned long long arrived[2];
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 4;" ::"r"(at(&arrived[0])) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 8;" ::"r"(at(&arrived[1])) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster.sync();
    if (threadIdx.x == 0) {
        unsigned remote;
        asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(remote) : "r"(at(arrived)));
        int* inbox = cluster.map_shared_rank(values, 0);
        inbox[cluster.block_rank()] = 1;
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");
        inbox[4 + cluster.block_rank()] = 2;
        asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(at(cluster.map_shared_rank(&arrived[1], 0))) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], 0;" ::"r"(remote + 8) : "memory");
        if (cluster.block_rank() == 0) {
            wait(at(&arrived[0]), 0);
            wait(at(&arrived[1]), 0);
            for (int i = 0; i < 4; ++i) {
                out[i] = values[i] + values[4 + i];
            }
        }
    }
    cluster.sync();
}
