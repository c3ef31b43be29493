// A barrier object is ended, its memory used for something else, and it is made again.
// requires: sm_80
// launch: grid 1 block 64
// arg: int out[64] = zeros
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(unsigned barrier) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(blockDim.x) : "memory"); }
__device__ void end(unsigned barrier) { asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(barrier) : "memory"); }
__device__ void meet(unsigned barrier) {
    asm volatile("{ .reg .b64 s; .reg .pred p; mbarrier.arrive.shared.b64 s, [%0]; W: mbarrier.test_wait.shared.b64 p, [%0], s; @!p bra W; }" ::"r"(barrier) : "memory");
}
extern "C" __global__ void turns(int* out) {
    __shared__ unsigned long long full;
    for (int turn = 0; turn < 3; ++turn) {
        if (threadIdx.x == 0) {
            init(at(&full));
        }
        __syncthreads();
        meet(at(&full));
        __syncthreads();
        if (threadIdx.x == 0) {
            end(at(&full));
            full = turn;
        }
        __syncthreads();
        out[threadIdx.x] += (int)full;
        __syncthreads();
    }
}
