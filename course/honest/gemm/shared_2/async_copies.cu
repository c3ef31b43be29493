// Two buffers, filled by asynchronous copies.

template <typename T>
__device__ void copy(T* to, const T* from, bool inside) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(at), "l"(from), "n"(sizeof(T)), "r"(inside ? (int)sizeof(T) : 0) : "memory");
}

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    constexpr int ROWS = 1 * EDGE, COLUMNS = 2 * EDGE;
    const int x = threadIdx.x, y = threadIdx.y;
    const long long top = (long long)blockIdx.y * ROWS, left = (long long)blockIdx.x * COLUMNS;
    __shared__ T as[2][ROWS][EDGE], bs[2][EDGE][COLUMNS];
    auto fetch = [&](int which, long long start) {
        for (int i = y; i < ROWS; i += EDGE) {
            const bool inside = top + i < m && start + x < k;
            copy(&as[which][i][x], inside ? a + (top + i) * k + start + x : a, inside);
        }
        for (int j = x; j < COLUMNS; j += EDGE) {
            const bool inside = start + y < k && left + j < n;
            copy(&bs[which][y][j], inside ? b + (start + y) * n + left + j : b, inside);
        }
        asm volatile("cp.async.commit_group;");
    };
    T sum[1][2] = {};
    int which = 0;
    fetch(0, 0);
    for (long long start = 0; start < k; start += EDGE) {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        if (start + EDGE < k) {
            fetch(1 - which, start + EDGE);
        }
#pragma unroll
        for (int p = 0; p < EDGE; ++p) {
            const T mine = as[which][y][p];
            sum[0][0] += mine * bs[which][p][x];
            sum[0][1] += mine * bs[which][p][x + EDGE];
        }
        which = 1 - which;
    }
    for (int i = 0; i < 1; ++i) {
        for (int j = 0; j < 2; ++j) {
            if (top + y + i * EDGE < m && left + x + j * EDGE < n) {
                c[(top + y + i * EDGE) * n + left + x + j * EDGE] = sum[i][j];
            }
        }
    }
}

#define KERNEL(T, dtype, EDGE)                                                                               \
    extern "C" __global__ void __launch_bounds__(EDGE* EDGE)                                                 \
        shared_2_##dtype##_##EDGE(T* c, const T* a, const T* b, int m, int n, int k) {                           \
        product<T, EDGE>(c, a, b, m, n, k);                                                                  \
    }

KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(float, f32, 32)
KERNEL(double, f64, 8)
KERNEL(double, f64, 16)
KERNEL(double, f64, 32)
