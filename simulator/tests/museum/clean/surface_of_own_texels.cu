// Each thread loads its texel of a surface and stores it again, doubled; nobody touches another's.
// launch: grid 2 block 32
// arg: int pixels[64] = iota
// arg: surface[2][32] of 0
__device__ int load(unsigned long long surface, int x, int y) {
    int value;
    asm volatile("suld.b.2d.b32.trap {%0}, [%1, {%2, %3}];" : "=r"(value) : "l"(surface), "r"(4 * x), "r"(y));
    return value;
}
__device__ void store(unsigned long long surface, int x, int y, int value) {
    asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(4 * x), "r"(y), "r"(value) : "memory");
}
extern "C" __global__ void twice(int*, unsigned long long surface) {
    int x = threadIdx.x, y = blockIdx.x;
    store(surface, x, y, 2 * load(surface, x, y));
}
