// A thread overwrites the source of its asynchronous copy before it has waited for it: the copy may bring either value.
// requires: sm_80
// launch: grid 1 block 32
// arg: int out[32] = zeros
// arg: int data[32] = iota
// finds: race
extern "C" __global__ void pass(int* out, int* data) {
    __shared__ int buffer[32];
    int x = threadIdx.x;
    unsigned target = (unsigned)__cvta_generic_to_shared(&buffer[x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(data + x) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    data[x] = -1;
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    out[x] = buffer[x];
}
