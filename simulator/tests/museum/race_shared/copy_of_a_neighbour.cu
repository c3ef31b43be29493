// Each thread waits for its own asynchronous copy, and reads its neighbour's.
// requires: sm_80
// launch: grid 1 block 64
// arg: float out[64] = zeros
// arg: float in[64] = iota
// finds: race
extern "C" __global__ void pass(float* out, const float* in) {
    __shared__ float buffer[64];
    int x = threadIdx.x;
    unsigned target = (unsigned)__cvta_generic_to_shared(&buffer[x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(in + x) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[x] = buffer[63 - x];
}
