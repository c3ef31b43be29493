// Copies that nobody needs are under way when the block ends, and the source of one is overwritten after the wait for it.
// requires: sm_80
// launch: grid 2 block 64
// arg: int out[128] = zeros
// arg: int data[256] = iota
extern "C" __global__ void pass(int* out, int* data) {
    __shared__ int buffer[2][64];
    int x = threadIdx.x, at = blockIdx.x * 128 + x;
    unsigned target = (unsigned)__cvta_generic_to_shared(&buffer[0][x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(data + at) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    target = (unsigned)__cvta_generic_to_shared(&buffer[1][x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(data + at + 64) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    data[at] = -1;
    __syncthreads();
    out[blockIdx.x * 64 + x] = buffer[0][63 - x];
}
