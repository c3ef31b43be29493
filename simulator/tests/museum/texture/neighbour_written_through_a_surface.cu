// Each thread stores to its texel and to the next one, which is another thread's.
// launch: grid 2 block 32
// arg: int pixels[65] = zeros
// arg: surface[1][65] of 0
// finds: race
__device__ void store(unsigned long long surface, int x, int y, int value) {
    asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(4 * x), "r"(y), "r"(value) : "memory");
}
extern "C" __global__ void widen(int*, unsigned long long surface) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    store(surface, x, 0, x);
    store(surface, x + 1, 0, x);
}
