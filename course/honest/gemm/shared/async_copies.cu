// Copies that pass no register, in the instruction's own words; zeros where there is nothing.

template <typename T>
__device__ void fetch(T* to, const T* from, bool inside) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(at), "l"(from), "n"(sizeof(T)), "r"(inside ? (int)sizeof(T) : 0) : "memory");
}

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    __shared__ T as[EDGE][EDGE];
    __shared__ T bs[EDGE][EDGE];
    const int x = threadIdx.x, y = threadIdx.y;
    const long long row = (long long)blockIdx.y * EDGE + y, col = (long long)blockIdx.x * EDGE + x;
    T sum = 0;
    for (long long start = 0; start < k; start += EDGE) {
        fetch(&as[y][x], a + (row < m && start + x < k ? row * k + start + x : 0), row < m && start + x < k);
        fetch(&bs[y][x], b + (start + y < k && col < n ? (start + y) * n + col : 0), start + y < k && col < n);
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        for (int p = 0; p < EDGE; ++p) {
            sum += as[y][p] * bs[p][x];
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        c[row * n + col] = sum;
    }
}

#define KERNEL(T, dtype, EDGE)                                                                               \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        shared_##dtype##_##EDGE(T* c, const T* a, const T* b, int m, int n, int k) {                           \
        product<T, EDGE>(c, a, b, m, n, k);                                                                  \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(float, f32, 32)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
KERNEL(double, f64, 32)
