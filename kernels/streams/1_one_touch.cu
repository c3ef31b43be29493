// out[i] = factor · in[i] + 1: every element is read once and written once. The pass that streams are made for: its
// time is that of its copies, and it works as well on a piece of the array as on the whole. In place too: out may be
// in.
//
// Thread t of the grid owns the 16-byte chunks t, t + (threads of the grid), …; the elements after the last whole chunk
// are the first threads'. Pointers that are no multiples of 16 bytes make the threads go by single elements.
//
// Launch: any grid, block of any size; enough threads to fill the device, no more than one per chunk.
// Napkin: from device memory 8·count bytes (f32) over the memory's bandwidth; from mapped host memory 4·count each way
// over PCIe at once, 16 bytes per thread and load: 2000 threads are the 32 KB that a round trip of 0.6 µs needs at 50
// GB/s.

template <typename T>
struct __align__(16) Chunk {
    static constexpr int WIDTH = 16 / sizeof(T);
    T element[WIDTH];
};

template <typename T>
__device__ T touch(T value, T factor) {
    return factor * value + T(1);
}

template <typename T>
__device__ void one_touch(T* out, const T* in, T factor, long long count) {
    // TASK: Touch every element once, 16 bytes per access where both pointers are aligned, with whatever grid there is.
    // BEGIN SOLUTION
    constexpr int WIDTH = Chunk<T>::WIDTH;
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const long long threads = (long long)gridDim.x * blockDim.x;

    const bool wide = ((unsigned long long)out | (unsigned long long)in) % 16 == 0;
    const long long chunks = wide ? count / WIDTH : 0;
    for (long long i = thread; i < chunks; i += threads) {
        Chunk<T> chunk = reinterpret_cast<const Chunk<T>*>(in)[i];
#pragma unroll
        for (int j = 0; j < WIDTH; ++j) {
            chunk.element[j] = touch(chunk.element[j], factor);
        }
        reinterpret_cast<Chunk<T>*>(out)[i] = chunk;
    }
    for (long long i = chunks * WIDTH + thread; i < count; i += threads) {
        out[i] = touch(in[i], factor);
    }
    // END SOLUTION
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void one_touch_##dtype(T* out, const T* in, T factor, long long count) {           \
        one_touch<T>(out, in, factor, count);                                                                \
    }

KERNEL(float, f32)
KERNEL(double, f64)
