// A value that was never written is stored in the other block of the cluster, which branches on it.
// requires: sm_90
// launch: grid 2 block 32
// arg: int out[64] = zeros
// arg: int in[32]
// finds: uninitialised
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ unsigned in_block(unsigned address, unsigned rank) {
    unsigned remote;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
    return remote;
}
__device__ int load_of(unsigned remote) {
    int value;
    asm volatile("ld.shared::cluster.b32 %0, [%1];" : "=r"(value) : "r"(remote) : "memory");
    return value;
}
__device__ unsigned rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) pass(int* out, const int* in) {
    __shared__ int mine[32];
    int x = threadIdx.x;
    asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(in_block(at(&mine[x]), rank() ^ 1)), "r"(in[x]) : "memory");
    cluster_sync();
    if (mine[x] > 0) {
        out[32 * blockIdx.x + x] = 1;
    }
}
