// Threads fetch the next thread's texel through a texture, while that thread writes it through a surface.
// launch: grid 1 block 64
// arg: int pixels[64] = iota
// arg: texture[1][64] of 0
// arg: surface[1][64] of 0
// finds: race
__device__ int fetch(unsigned long long texture, int x, int y) {
    int value, g, b, a;
    asm volatile("tex.2d.v4.s32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=r"(value), "=r"(g), "=r"(b), "=r"(a) : "l"(texture), "r"(x), "r"(y));
    return value;
}
__device__ void store(unsigned long long surface, int x, int y, int value) {
    asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(4 * x), "r"(y), "r"(value) : "memory");
}
extern "C" __global__ void shift(int*, unsigned long long texture, unsigned long long surface) {
    int x = threadIdx.x;
    int next = fetch(texture, min(x + 1, 63), 0);
    store(surface, x, 0, next);
}
