// A block fetches one array through a texture, past its edges too, and writes another through a surface.
// launch: grid 1 block 32
// arg: int from[64] = iota
// arg: int to[64]
// arg: texture[2][32] of 0
// arg: surface[2][32] of 1
__device__ int fetch(unsigned long long texture, int x, int y) {
    int value, g, b, a;
    asm volatile("tex.2d.v4.s32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=r"(value), "=r"(g), "=r"(b), "=r"(a) : "l"(texture), "r"(x), "r"(y));
    return value;
}
__device__ void store(unsigned long long surface, int x, int y, int value) {
    asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(4 * x), "r"(y), "r"(value) : "memory");
}
extern "C" __global__ void blur(int*, int*, unsigned long long texture, unsigned long long surface) {
    int x = threadIdx.x;
    for (int y = 0; y < 2; ++y) {
        store(surface, x, y, fetch(texture, x - 1, y) + fetch(texture, x, y + 1));
        __syncthreads();
    }
}
