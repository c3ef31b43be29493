// A thread reads the target of its own asynchronous copy before it has waited for it.
// requires: sm_80
// launch: grid 1 block 32
// arg: float out[32] = zeros
// arg: float in[32] = iota
// finds: race
extern "C" __global__ void pass(float* out, const float* in) {
    __shared__ float buffer[32];
    int x = threadIdx.x;
    buffer[x] = 0;
    unsigned target = (unsigned)__cvta_generic_to_shared(&buffer[x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(in + x) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    out[x] = buffer[x];
    asm volatile("cp.async.wait_group 0;" ::: "memory");
}
