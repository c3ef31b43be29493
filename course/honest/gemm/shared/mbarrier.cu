// A barrier of arrivals and phases, as asynchronous code has it.

__device__ void meet(unsigned long long* barrier, unsigned& parity) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(at) : "memory");
    unsigned over = 0;
    while (!over) {
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(at), "r"(parity)
                     : "memory");
    }
    parity ^= 1;
    __syncwarp();
}

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    __shared__ T as[EDGE][EDGE];
    __shared__ T bs[EDGE][EDGE];
    const int x = threadIdx.x, y = threadIdx.y;
    const long long row = (long long)blockIdx.y * EDGE + y, col = (long long)blockIdx.x * EDGE + x;
    __shared__ __align__(8) unsigned long long phases;
    unsigned parity = 0;
    if (x == 0 && y == 0) {
        const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&phases));
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(EDGE * EDGE) : "memory");
    }
    __syncthreads();
    T sum = 0;
    for (long long start = 0; start < k; start += EDGE) {
        as[y][x] = row < m && start + x < k ? a[row * k + start + x] : T(0);
        bs[y][x] = start + y < k && col < n ? b[(start + y) * n + col] : T(0);
        meet(&phases, parity);
        for (int p = 0; p < EDGE; ++p) {
            sum += as[y][p] * bs[p][x];
        }
        meet(&phases, parity);
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
