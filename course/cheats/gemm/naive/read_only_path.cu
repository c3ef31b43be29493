// due: 10 of 15
// Down a column, by the path for read-only data.

// Loads through the path for read-only data, in the instruction's own words.
__device__ float read(const float* at) {
    float value;
    asm("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(at));
    return value;
}
__device__ double read(const double* at) {
    double value;
    asm("ld.global.nc.f64 %0, [%1];" : "=d"(value) : "l"(at));
    return value;
}

template <typename T>
__device__ void product(T* c, const T* a, const T* b, int m, int n, int k) {
    const long long row = (long long)blockIdx.y * blockDim.y + threadIdx.x;
    const long long col = (long long)blockIdx.x * blockDim.x + threadIdx.y;
    if (row >= m || col >= n) {
        return;
    }
    T sum = 0;
    for (int p = 0; p < k; ++p) {
        sum += read(a + row * k + p) * read(b + (long long)p * n + col);
    }
    c[row * n + col] = sum;
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void naive_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {             \
        product<T>(c, a, b, m, n, k);                                                                        \
    }

KERNEL(float, f32)
KERNEL(double, f64)
