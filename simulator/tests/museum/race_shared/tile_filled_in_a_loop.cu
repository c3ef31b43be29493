// A tile without the barrier between its two halves, in a function that the kernel of a macro calls. The first half is a
// loop, and no loop is around both: the barrier belongs after the first, wherever the macro stands.
// launch: grid 2 2 block 16 16 shared 1024
// arg: float out[600] = zeros
// arg: float in[600] = iota
// arg: int m = 20
// arg: int n = 30
// finds: race
extern __shared__ __align__(16) unsigned char shared_bytes[];

template <typename T>
__device__ void transpose(T* __restrict__ out, const T* __restrict__ in, int m, int n) {
    T* tile = (T*)shared_bytes;
    int e = blockDim.x, tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * e + tx, y = blockIdx.y * e + ty;
    for (int j = 0; j < e; j += blockDim.y)
        if (x < n && y + j < m) tile[(ty + j) * e + tx] = in[(y + j) * n + x];
    int row = blockIdx.x * e + ty, col = blockIdx.y * e + tx;
    if (row < n && col < m) out[row * m + col] = tile[tx * e + ty];
}

#define KERNEL(T, dtype)                                                                         \
    extern "C" __global__ void transpose_##dtype(T* out, const T* in, int m, int n) {            \
        transpose<T>(out, in, m, n);                                                             \
    }

KERNEL(float, f32)
