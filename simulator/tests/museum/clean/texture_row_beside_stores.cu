// A block fetches the upper row of an array through a texture and stores to the lower one through an ordinary pointer.
// launch: grid 1 block 32
// arg: int pixels[64] = iota
// arg: texture[2][32] of 0
__device__ int fetch(unsigned long long texture, int x, int y) {
    int value, g, b, a;
    asm volatile("tex.2d.v4.s32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=r"(value), "=r"(g), "=r"(b), "=r"(a) : "l"(texture), "r"(x), "r"(y));
    return value;
}
extern "C" __global__ void copy_down(int* pixels, unsigned long long texture) {
    int x = threadIdx.x;
    pixels[32 + x] = fetch(texture, 31 - x, 0);
}
