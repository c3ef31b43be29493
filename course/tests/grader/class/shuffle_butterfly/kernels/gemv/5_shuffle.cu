// Each lane ends with the sum, and the last one writes it.
template <typename R>
__device__ void rows(R* result, const R* matrix, const R* vector, int count, int length) {
    const long long mine = (long long)blockIdx.x * blockDim.y + threadIdx.y;
    if (mine >= count) return;
    R part = 0;
    for (long long c = (long long)((length - 1) / 32) * 32 + threadIdx.x; c >= 0; c -= 32)
        if (c < length) part += matrix[mine * length + c] * vector[c];
    for (int bit = 1; bit < 32; bit <<= 1) part += __shfl_xor_sync(~0u, part, bit);
    if (threadIdx.x == 31) result[mine] = part;
}
extern "C" __global__ void shuffle_f32(float* b, const float* a, const float* x, int m, int n) { rows(b, a, x, m, n); }
extern "C" __global__ void shuffle_f64(double* b, const double* a, const double* x, int m, int n) { rows(b, a, x, m, n); }
