// Bulk copies fill a structure, the parts of dynamic memory, the end of an array, and one of two arrays, each as far as it reaches.
// requires: sm_90
// launch: grid 1 block 32 shared 256
// arg: int out[96] = zeros
// arg: int in[64] = iota
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait(unsigned barrier) {
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::"r"(barrier) : "memory");
}
__device__ void init(unsigned barrier, int bytes) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(barrier) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ void load(unsigned to, const void* from, int bytes, unsigned barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(barrier) : "memory");
}
__device__ void store(void* to, unsigned from, int bytes) {
    asm volatile("fence.proxy.async.shared::cta; cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}
struct alignas(128) Pair {
    int keys[32], values[32];
};
extern "C" __global__ void fetch(int* out, const int* in) {
    extern __shared__ __align__(128) int memory[];
    __shared__ Pair pair;
    __shared__ alignas(128) int tail[64], other[32];
    __shared__ unsigned long long ready;
    const int x = threadIdx.x;
    tail[x] = x;
    if (x == 0) {
        init(at(&ready), 256 + 256 + 128 + 128);
        load(at(pair.keys), in, 256, at(&ready));
        load(at(memory), in, 256, at(&ready));
        load(at(tail + 32), in, 128, at(&ready));
        load(at(in[1] == 1 ? other : tail), in, 128, at(&ready));
    }
    __syncthreads();
    wait(at(&ready));
    out[x] = pair.keys[x] + pair.values[x] + memory[x] + (memory + 32)[x] + tail[x] + tail[x + 32] + other[x];
    __syncthreads();
    if (x == 0) {
        store(out + 32, at(&pair), sizeof pair);
    }
}
