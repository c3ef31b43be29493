// Running pointers in C style, with a goto for a loop.

template <typename T>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned col = blockIdx.x * blockDim.x + threadIdx.x;
    if (!(row < (unsigned)m) | !(col < (unsigned)n)) return;
    const T *pa = a + (size_t)row * k, *const end = pa + k, *pb = b + col;
    T acc = 0;
next:
    if (pa == end) goto done;
    acc += *pa++ * *pb;
    pb += n;
    goto next;
done:
    c[(size_t)row * n + col] = acc;
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void naive_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {             \
        product<T>(c, a, b, m, n, k);                                                                        \
    }

KERNEL(float, f32)
KERNEL(double, f64)
