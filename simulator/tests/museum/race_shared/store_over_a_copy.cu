// A thread stores over the target of its copy while that is under way: either value may stay.
// requires: sm_80
// launch: grid 1 block 32
// arg: int out[32] = zeros
// arg: int in[32] = iota
// finds: race
extern "C" __global__ void pass(int* out, const int* in) {
    __shared__ int buffer[32];
    int x = threadIdx.x;
    unsigned target = (unsigned)__cvta_generic_to_shared(&buffer[x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(in + x) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    buffer[x] = -1;
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    out[x] = buffer[x];
}
