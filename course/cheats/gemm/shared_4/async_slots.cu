// due: 4 of 20
// Asynchronous copies of each element for each product: shared memory is a register.

// Each thread copies into a slot of its own and reads it: no register is loaded from global memory.
__device__ unsigned slot_address(const void* slot) {
    return static_cast<unsigned>(__cvta_generic_to_shared(slot));
}
template <typename T>
__device__ T read(const T* at, T* slot) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(slot_address(slot)), "l"(at), "n"(sizeof(T)) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    return *static_cast<volatile T*>(slot);
}

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    constexpr int ROWS = 2 * EDGE, COLUMNS = 2 * EDGE;  // of C, of a block
    const long long top = (long long)blockIdx.y * ROWS, left = (long long)blockIdx.x * COLUMNS;
    __shared__ T slots[EDGE * EDGE];
    T* const slot = slots + threadIdx.y * EDGE + threadIdx.x;
    for (int i = threadIdx.y; i < ROWS; i += EDGE) {
        for (int j = threadIdx.x; j < COLUMNS; j += EDGE) {
            const long long row = top + i, col = left + j;
            if (row < m && col < n) {
                T sum = 0;
                for (int p = 0; p < k; ++p) {
                    sum += read(a + row * k + p, slot) * read(b + (long long)p * n + col, slot);
                }
                c[row * n + col] = sum;
            }
        }
    }
}

#define KERNEL(T, dtype, EDGE)                                                                               \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        shared_4_##dtype##_##EDGE(T* c, const T* a, const T* b, int m, int n, int k) {                           \
        product<T, EDGE>(c, a, b, m, n, k);                                                                  \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(float, f32, 32)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
KERNEL(double, f64, 32)
