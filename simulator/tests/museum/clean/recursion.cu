// A device function that calls itself.
// launch: grid 1 block 32
// arg: int out[32]
__device__ __noinline__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
extern "C" __global__ void numbers(int* out) {
    out[threadIdx.x] = fibonacci(threadIdx.x % 8);
}
