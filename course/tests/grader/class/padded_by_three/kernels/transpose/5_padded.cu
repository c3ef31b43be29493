// Three more elements per row: any odd length will do.
template <typename E, int N>
__device__ void turn(E* to, const E* from, int height, int width) {
    __shared__ E square[N][N + 3];
    int r = blockIdx.y * N + threadIdx.y, c = blockIdx.x * N + threadIdx.x;
    if (r < height && c < width) square[threadIdx.y][threadIdx.x] = from[(long long)r * width + c];
    __syncthreads();
    r = blockIdx.x * N + threadIdx.y;
    c = blockIdx.y * N + threadIdx.x;
    if (r < width && c < height) to[(long long)r * height + c] = square[threadIdx.x][threadIdx.y];
}
template <typename E, int N>
__device__ void turn_in_place(E* all, int n) {
    __shared__ E here[N][N + 3], there[N][N + 3];
    if (blockIdx.y > blockIdx.x) return;
    const long long r1 = blockIdx.y * N + threadIdx.y, c1 = blockIdx.x * N + threadIdx.x;
    const long long r2 = blockIdx.x * N + threadIdx.y, c2 = blockIdx.y * N + threadIdx.x;
    if (r2 < n && c2 < n) there[threadIdx.y][threadIdx.x] = all[r2 * n + c2];
    if (r1 < n && c1 < n) here[threadIdx.y][threadIdx.x] = all[r1 * n + c1];
    __syncthreads();
    if (r2 < n && c2 < n && blockIdx.x != blockIdx.y) all[r2 * n + c2] = here[threadIdx.x][threadIdx.y];
    if (r1 < n && c1 < n) all[r1 * n + c1] = there[threadIdx.x][threadIdx.y];
}
#define PADDED(E, name, N)                                                                                         \
    extern "C" __global__ void __launch_bounds__(N* N) padded_##name##_##N(E* out, const E* in, int m, int n) {    \
        turn<E, N>(out, in, m, n);                                                                                 \
    }                                                                                                              \
    extern "C" __global__ void __launch_bounds__(N* N) padded_in_place_##name##_##N(E* matrix, int n) {            \
        turn_in_place<E, N>(matrix, n);                                                                            \
    }
PADDED(float, f32, 8)
PADDED(float, f32, 16)
PADDED(float, f32, 32)
PADDED(double, f64, 8)
PADDED(double, f64, 16)
PADDED(double, f64, 32)
