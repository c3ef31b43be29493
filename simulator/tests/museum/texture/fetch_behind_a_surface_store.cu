// A block writes rows through a surface, meets at a barrier, and fetches them through a texture, whose cache does not hear of it.
// launch: grid 1 block 32
// arg: int pixels[64] = zeros
// arg: texture[2][32] of 0
// arg: surface[2][32] of 0
// arg: int sums[32]
// finds: stale texel
__device__ int fetch(unsigned long long texture, int x, int y) {
    int value, g, b, a;
    asm volatile("tex.2d.v4.s32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=r"(value), "=r"(g), "=r"(b), "=r"(a) : "l"(texture), "r"(x), "r"(y));
    return value;
}
__device__ void store(unsigned long long surface, int x, int y, int value) {
    asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(4 * x), "r"(y), "r"(value) : "memory");
}
extern "C" __global__ void blur(int*, unsigned long long texture, unsigned long long surface, int* sums) {
    int x = threadIdx.x;
    store(surface, x, 0, x);
    __syncthreads();
    sums[x] = fetch(texture, (x + 1) % 32, 0) + fetch(texture, x, 1);
}
