// Asynchronous copies in two buffers without the barrier that ends a round: the next copy begins while a neighbour still
// reads the buffer.
// requires: sm_80
// launch: grid 1 block 64
// arg: float out[256] = zeros
// arg: float in[256] = iota
// finds: race
extern "C" __global__ void pass(float* out, const float* in) {
    __shared__ float buffer[2][64];
    int x = threadIdx.x;
    unsigned target = (unsigned)__cvta_generic_to_shared(&buffer[0][x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(in + x) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int tile = 0; tile < 4; ++tile) {
        if (tile < 3) {
            unsigned next = (unsigned)__cvta_generic_to_shared(&buffer[(tile + 1) % 2][x]);
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(next), "l"(in + (tile + 1) * 64 + x) : "memory");
            asm volatile("cp.async.commit_group;" ::: "memory");
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
        out[tile * 64 + x] = buffer[tile % 2][63 - x];
    }
}
