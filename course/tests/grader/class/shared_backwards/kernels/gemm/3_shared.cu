// Last tile first, last product first, one array for both tiles.
template <typename Real, int W>
__device__ void tiles(Real* result, const Real* left, const Real* right, int rows, int columns, int depth) {
    __shared__ Real memory[2 * W * W];
    Real* const of_left = memory;
    Real* const of_right = memory + W * W;
    const int i = threadIdx.y, j = threadIdx.x;
    const size_t my_row = (size_t)blockIdx.y * W + i, my_column = (size_t)blockIdx.x * W + j;
    Real total = Real(0);
    int tile = (depth + W - 1) / W;
    while (tile-- > 0) {
        const size_t begin = (size_t)tile * W;
        Real value = 0;
        if (my_row < rows && begin + j < depth) value = left[my_row * depth + begin + j];
        of_left[i * W + j] = value;
        value = 0;
        if (begin + i < depth && my_column < columns) value = right[(begin + i) * columns + my_column];
        of_right[i * W + j] = value;
        __syncthreads();
        for (int p = W - 1; p >= 0; p--) total += of_left[i * W + p] * of_right[p * W + j];
        __syncthreads();
    }
    if (my_row >= rows) return;
    if (my_column >= columns) return;
    result[my_row * columns + my_column] = total;
}
#define SHARED(type, name, edge)                                                                                               \
    extern "C" __global__ void __launch_bounds__(edge* edge) shared_##name##_##edge(type* c, const type* a, const type* b, int m, int n, int k) { \
        tiles<type, edge>(c, a, b, m, n, k);                                                                                   \
    }
SHARED(float, f32, 8) SHARED(float, f32, 16) SHARED(float, f32, 32)
SHARED(double, f64, 8) SHARED(double, f64, 16) SHARED(double, f64, 32)
