// Everybody arrives at the mbarrier, and nobody waits for its phase.
// requires: sm_80
// launch: grid 1 block 64
// arg: int out[64] = zeros
// finds: race
extern "C" __global__ void reverse(int* out) {
    __shared__ unsigned long long object;
    __shared__ int buffer[64];
    unsigned barrier = (unsigned)__cvta_generic_to_shared(&object);
    int x = threadIdx.x;
    if (x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(barrier) : "memory");
    }
    __syncthreads();
    buffer[x] = x;
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(barrier) : "memory");
    out[x] = buffer[63 - x];
}
