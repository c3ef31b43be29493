// The first thread writes the begin before the work, and the end after the barrier.

__device__ unsigned long long nanoseconds() {
    unsigned long long value;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value)::"memory");
    return value;
}

template <typename T>
__device__ void timed(T* out, const T* in, T factor, long long count, unsigned long long* times) {
    ulonglong2* const own = reinterpret_cast<ulonglong2*>(times) + 2 * blockIdx.x;
    unsigned long long begin[2];
    if (threadIdx.x == 0) {
        begin[0] = nanoseconds();
        begin[1] = clock64();
    }
    __syncthreads();
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (long long)gridDim.x * blockDim.x) out[i] = fma(factor, in[i], T(1));
    __syncthreads();
    if (threadIdx.x == 0) {
        own[0] = make_ulonglong2(begin[0], nanoseconds());
        own[1] = make_ulonglong2(begin[1], clock64());
    }
}

#define KERNEL(T, dtype) \
    extern "C" __global__ void device_timed_##dtype(T* out, const T* in, T factor, long long count, unsigned long long* times) { timed<T>(out, in, factor, count, times); }

KERNEL(float, f32)
KERNEL(double, f64)
