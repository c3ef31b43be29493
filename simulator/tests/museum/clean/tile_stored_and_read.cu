// A tile of a product is stored to shared memory by one warp (wmma.store) and read by another behind a barrier.
// requires: sm_70
// launch: grid 1 block 64
// arg: int a[128] = zeros
// arg: int b[128] = zeros
// arg: float out[256] = zeros
__device__ void load_a(unsigned (&f)[8], const void* from) {
    asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 16;"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]), "=r"(f[4]), "=r"(f[5]), "=r"(f[6]), "=r"(f[7])
                 : "l"(from)
                 : "memory");
}
__device__ void load_b(unsigned (&f)[8], const void* from) {
    asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 16;"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]), "=r"(f[4]), "=r"(f[5]), "=r"(f[6]), "=r"(f[7])
                 : "l"(from)
                 : "memory");
}
__device__ void multiply(float (&d)[8], const unsigned (&a)[8], const unsigned (&b)[8]) {
    asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "
                 "{%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, "
                 "{%0, %1, %2, %3, %4, %5, %6, %7};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b[0]),
                   "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
}
__device__ void store(void* to, const float (&d)[8]) {
    asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%8], {%0, %1, %2, %3, %4, %5, %6, %7}, 16;" ::"f"(
                     d[0]),
                 "f"(d[1]), "f"(d[2]), "f"(d[3]), "f"(d[4]), "f"(d[5]), "f"(d[6]), "f"(d[7]),
                 "r"((unsigned)__cvta_generic_to_shared(to))
                 : "memory");
}
extern "C" __global__ void pass(const int* a, const int* b, float* out) {
    __shared__ alignas(32) float tile[256];
    int x = threadIdx.x;
    if (x < 32) {
        unsigned first[8], second[8];
        float d[8] = {};
        load_a(first, a);
        load_b(second, b);
        multiply(d, first, second);
        store(tile, d);
    }
    __syncthreads();
    for (int i = x; i < 256; i += 64) {
        out[i] = tile[i];
    }
}
