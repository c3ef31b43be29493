// due: 8 of 13
// The lanes add to the result atomically, after the first has cleared it.

__device__ void add(float* at, float value) { atomicAdd(at, value); }
__device__ void add(double* at, double value) {
    unsigned long long* const bits = reinterpret_cast<unsigned long long*>(at);
    unsigned long long seen = atomicCAS(bits, 0ull, 0ull), expected;
    do {
        expected = seen;
        seen = atomicCAS(bits, expected, __double_as_longlong(__longlong_as_double(expected) + value));
    } while (seen != expected);
}

template <typename T>
__device__ void product(T* b, const T* a, const T* x, int m, int n) {
    const long long row = (long long)blockIdx.x * blockDim.y + threadIdx.y;
    const int lane = threadIdx.x;
    if (row >= m) return;
    const T* const own = a + row * n;
    T sum = 0;
    for (int col = lane; col < n; col += 32) sum += own[col] * x[col];
    if (lane == 0) b[row] = 0;
    __syncwarp();
    add(&b[row], sum);
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void shuffle_##dtype(T* b, const T* a, const T* x, int m, int n) { product<T>(b, a, x, m, n); }

KERNEL(float, f32)
KERNEL(double, f64)
