// Two buffers of asynchronous copies, and wait_prior(1) in the last round too: the last copy may still be under way when it is read.
// requires: sm_80
// launch: grid 1 block 32
// arg: int out[32] = zeros
// arg: int in[96] = iota
// finds: race
extern "C" __global__ void sum(int* out, const int* in) {
    __shared__ int buffer[2][32];
    int x = threadIdx.x;
    buffer[0][x] = buffer[1][x] = 0;
    unsigned target = (unsigned)__cvta_generic_to_shared(&buffer[0][x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(in + x) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    int sum = 0;
    for (int tile = 0; tile < 3; ++tile) {
        if (tile < 2) {
            unsigned next = (unsigned)__cvta_generic_to_shared(&buffer[(tile + 1) % 2][x]);
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(next), "l"(in + (tile + 1) * 32 + x) : "memory");
            asm volatile("cp.async.commit_group;" ::: "memory");
        }
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        sum += buffer[tile % 2][x];
        __syncthreads();
    }
    out[x] = sum;
}
