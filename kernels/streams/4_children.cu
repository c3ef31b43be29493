// out[i] = factor·in[i] + 1, in rows of few and of many elements: row r is the elements starts[r] to starts[r + 1] − 1.
//
// children_flat_*: thread r owns row r. The longest row holds up its warp, and with it the kernel.
// children_*: thread r owns row r if it is short. A long row is a kernel of its own, which thread r launches: thread t of
// that grid owns its elements t, t + (threads of the grid), … It is no part of thread r's work: the host's next launch
// waits for parent and children.
//
// links: cudadevrt
// requires: sm_50
//
// Launch: grid ⌈rows/256⌉, block (256).
// Napkin: a row of 4096 elements is 4096 loads and stores of one thread, each some 30 ns: over 100 µs. As 16 blocks it is
// one load a thread, and a launch from the device takes a few µs.

// TRY: from how many elements on is a child worth its launch?
const int LONG = 256;

template <typename T>
__device__ void scale(T* out, const T* in, T factor, long long first, long long end, long long stride) {
    for (long long i = first; i < end; i += stride) {
        out[i] = factor * in[i] + 1;
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void children_flat_##dtype(T* out, const T* in, T factor, const long long* starts, \
                                                     int rows) {                                             \
        const int row = blockIdx.x * blockDim.x + threadIdx.x;                                               \
        if (row < rows) {                                                                                    \
            scale(out, in, factor, starts[row], starts[row + 1], 1);                                         \
        }                                                                                                    \
    }                                                                                                        \
    extern "C" __global__ void children_row_##dtype(T* out, const T* in, T factor, long long begin,          \
                                                    long long end) {                                         \
        const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;                           \
        scale(out, in, factor, begin + thread, end, (long long)gridDim.x * blockDim.x);                      \
    }                                                                                                        \
    extern "C" __global__ void children_##dtype(T* out, const T* in, T factor, const long long* starts,      \
                                                int rows) {                                                  \
        const int row = blockIdx.x * blockDim.x + threadIdx.x;                                               \
        if (row >= rows) {                                                                                   \
            return;                                                                                          \
        }                                                                                                    \
        const long long begin = starts[row], end = starts[row + 1];                                          \
        if (end - begin <= LONG) {                                                                           \
            scale(out, in, factor, begin, end, 1);                                                           \
        } else {                                                                                             \
            const unsigned blocks = (unsigned)((end - begin + 255) / 256);                                   \
            children_row_##dtype<<<blocks, 256, 0, cudaStreamFireAndForget>>>(out, in, factor, begin, end);  \
        }                                                                                                    \
    }

KERNEL(float, f32)
KERNEL(double, f64)
