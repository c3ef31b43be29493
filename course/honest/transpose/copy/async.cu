// Asynchronous copies of 16 bytes through shared memory.

template <typename T, int EDGE>
__device__ void turned(T* out, const T* in, int m, int n) {
    __shared__ uint4 slots[1024];
    const long long count = (long long)m * n, chunks = count * sizeof(T) / 16;
    const long long me = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (me < chunks) {
        const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(slots + threadIdx.x));
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"((const uint4*)in + me) : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory");
        ((uint4*)out)[me] = slots[threadIdx.x];
    }
    const long long rest = chunks * (16 / (int)sizeof(T)) + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && rest < count) out[rest] = in[rest];
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void copy_##dtype(T* out, const T* in, int m, int n) {                          \
        turned<T, 0>(out, in, m, n);                                                                    \
    }

KERNEL(float, f32)
KERNEL(double, f64)
