// Reads down a column and writes along a row.
template <typename T>
__device__ void naive(T* out, const T* in, int m, int n) {
    const long long blocks_down = (m + blockDim.x - 1) / blockDim.x;
    const long long block = (long long)blockIdx.y * gridDim.x + blockIdx.x;
    const long long row = block % blocks_down * blockDim.x + threadIdx.x;
    const long long col = block / blocks_down * blockDim.y + threadIdx.y;
    if (col < n && row < m) { out[col * m + row] = in[row * n + col]; }
}
template <typename T>
__device__ void naive_in_place(T* matrix, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= i) return;
    T* const p = matrix + (long long)i * n + j;
    T* const q = matrix + (long long)j * n + i;
    T held = *p;
    *p = *q;
    *q = held;
}
#define KERNEL(T, dtype) \
    extern "C" __global__ void naive_##dtype(T* out, const T* in, int m, int n) { naive<T>(out, in, m, n); } \
    extern "C" __global__ void naive_in_place_##dtype(T* matrix, int n) { naive_in_place<T>(matrix, n); }
KERNEL(float, f32)
KERNEL(double, f64)
