// A barrier in the place of the wait: it does not complete asynchronous copies, and nothing else does before the block ends.
// requires: sm_80
// launch: grid 1 block 64
// arg: int out[64] = zeros
// arg: int in[64] = iota
// finds: race
extern "C" __global__ void pass(int* out, const int* in) {
    __shared__ int buffer[64];
    int x = threadIdx.x;
    buffer[x] = 0;
    __syncthreads();
    unsigned target = (unsigned)__cvta_generic_to_shared(&buffer[x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(in + x) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    __syncthreads();
    out[x] = buffer[63 - x];
}
