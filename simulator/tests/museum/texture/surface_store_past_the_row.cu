// The last thread stores one texel past the end of the surface's row. A surface does not clamp unless it is told to.
// launch: grid 1 block 32
// arg: int pixels[32] = zeros
// arg: surface[1][32] of 0
// finds: out of bounds
__device__ void store(unsigned long long surface, int x, int y, int value) {
    asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(4 * x), "r"(y), "r"(value) : "memory");
}
extern "C" __global__ void shift(int*, unsigned long long surface) {
    int x = threadIdx.x;
    store(surface, x + 1, 0, x);
}
