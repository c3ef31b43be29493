// my solution, k from the top down
#define WIDTH blockDim.x
template <typename Real> static __device__ Real product(const Real* left, const Real* right, int stride, int length) {
  Real total = 0; int i = length;
  while (i--) { total += left[i] * right[(size_t)i * stride]; }
  return total;
}
template <typename T> __device__ void naive(T* out, const T* l, const T* r, int m, int n, int k) {
  size_t j = (size_t)blockIdx.x * WIDTH + threadIdx.x, i = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m) if (j < n) out[i * n + j] = product(l + i * k, r + j, n, k);
}
#define KERNEL(T, dtype) \
  extern "C" __global__ void naive_##dtype(T* c, const T* a, const T* b, int m, int n, int k) { naive<T>(c, a, b, m, n, k); }
KERNEL(float, f32)
KERNEL(double, f64)
