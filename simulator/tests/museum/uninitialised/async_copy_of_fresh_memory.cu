// What an asynchronous copy brings to shared memory was never written.
// requires: sm_80
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[32]
// finds: uninitialised
extern "C" __global__ void fetch(int* out, const int* in) {
    __shared__ int data[32];
    unsigned to = (unsigned)__cvta_generic_to_shared(&data[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = data[31 - threadIdx.x] + 1;
}
