// Half of the warps bring A, the others B.

template <typename T, int EDGE>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    __shared__ T tiles[2][EDGE][EDGE];
    const int x = threadIdx.x, y = threadIdx.y, team = y < EDGE / 2 ? 0 : 1;
    const long long top = (long long)blockIdx.y * EDGE, left = (long long)blockIdx.x * EDGE;
    T sum = 0;
    for (long long start = 0; start < k; start += EDGE) {
        for (int i = y % (EDGE / 2); i < EDGE; i += EDGE / 2) {
            const long long row = team == 0 ? top + i : start + i, col = team == 0 ? start + x : left + x;
            const int rows = team == 0 ? m : k, columns = team == 0 ? k : n;
            tiles[team][i][x] = row < rows && col < columns ? (team == 0 ? a : b)[row * columns + col] : T(0);
        }
        __syncthreads();
#pragma unroll 4
        for (int p = 0; p < EDGE; ++p) {
            sum += tiles[0][y][p] * tiles[1][p][x];
        }
        __syncthreads();
    }
    if (top + y < m && left + x < n) {
        c[(top + y) * n + left + x] = sum;
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
