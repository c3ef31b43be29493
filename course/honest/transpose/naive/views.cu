// Views with two indices; a swap of one's own.

template <typename T>
struct View {
    T* at;
    int width;
    __device__ T& operator()(long long i, long long j) { return at[i * width + j]; }
};
template <typename T>
__device__ void tausche(T& a, T& b) {
    T t = a;
    a = b;
    b = t;
}

template <typename T, int EDGE>
__device__ void turned(T* out, const T* in, int m, int n) {
    const int edge = EDGE == 0 ? blockDim.x : EDGE;
    const int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    const long long top = (long long)blockIdx.y * edge, left = (long long)blockIdx.x * edge;
    View<const T> von{in, n};
    View<T> nach{out, m};
    const long long zeile = top + threadIdx.y, spalte = left + threadIdx.x;
    if (zeile < m && spalte < n) nach(spalte, zeile) = von(zeile, spalte);
}

template <typename T, int EDGE>
__device__ void turned_in_place(T* matrix, int n) {
    const int edge = EDGE == 0 ? blockDim.x : EDGE;
    const int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    const long long top = (long long)blockIdx.y * edge, left = (long long)blockIdx.x * edge;
    View<T> feld{matrix, n};
    const long long zeile = top + threadIdx.y, spalte = left + threadIdx.x;
    if (zeile < spalte && spalte < n) tausche(feld(zeile, spalte), feld(spalte, zeile));
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void naive_##dtype(T* out, const T* in, int m, int n) {                          \
        turned<T, 0>(out, in, m, n);                                                                    \
    }                                                                                                       \
    extern "C" __global__ void naive_in_place_##dtype(T* matrix, int n) {                                  \
        turned_in_place<T, 0>(matrix, n);                                                               \
    }

KERNEL(float, f32)
KERNEL(double, f64)
