// Access patterns, one kernel each, to compare the simulator's counters with a profiler's on hardware.
//
// GLOBAL and STORE: 4 blocks of 256 threads; `i` numbers the threads of the grid, `l` the lanes of a warp. SHARED: one block of 256
// threads fills a table of shared memory with unit stride, then reads it in the pattern's order.

#define GLOBAL(NAME, T, INDEX)                                                                                \
    extern "C" __global__ void NAME(float* out, const float* in) {                                            \
        const int i = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x % 32;                            \
        const T value = reinterpret_cast<const T*>(in)[INDEX];                                                \
        reinterpret_cast<T*>(out)[i + 0 * l] = value;                                                         \
    }
#define STORE(NAME, T, INDEX)                                                                                 \
    extern "C" __global__ void NAME(float* out, const float* in) {                                            \
        const int i = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x % 32;                            \
        reinterpret_cast<T*>(out)[INDEX] = reinterpret_cast<const T*>(in)[i + 0 * l];                         \
    }
#define ATOMIC(NAME, INDEX)                                                                                   \
    extern "C" __global__ void NAME(float* out, const float* in) {                                            \
        const int i = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x % 32;                            \
        atomicAdd(out + (INDEX) + 0 * l, in[i]);                                                              \
    }
#define SHARED(NAME, T, WORDS, INDEX)                                                                         \
    extern "C" __global__ void NAME(float* out, const float* in) {                                            \
        __shared__ __align__(16) T table[WORDS];                                                              \
        const int t = threadIdx.x, l = t % 32, w = t / 32;                                                    \
        for (int k = t; k < WORDS; k += 256) {                                                                \
            table[k] = reinterpret_cast<const T*>(in)[k];                                                     \
        }                                                                                                     \
        __syncthreads();                                                                                      \
        reinterpret_cast<T*>(out)[t] = table[(INDEX) + 0 * (l + w)];                                          \
    }

GLOBAL(load_unit, float, i)
GLOBAL(load_shifted_by_1, float, i + 1)
GLOBAL(load_shifted_by_7, float, i + 7)
GLOBAL(load_shifted_by_8, float, i + 8)
GLOBAL(load_stride_2, float, i * 2)
GLOBAL(load_stride_3, float, i * 3)
GLOBAL(load_stride_4, float, i * 4)
GLOBAL(load_stride_8, float, i * 8)
GLOBAL(load_row_per_lane, float, l * 1024 + i / 32)
GLOBAL(load_broadcast, float, i / 32)
GLOBAL(load_pairs, float, i / 2)
GLOBAL(load_reversed, float, i / 32 * 32 + 31 - l)
GLOBAL(load_shuffled, float, i / 32 * 32 + (l * 11) % 32)
GLOBAL(load_two_rows, float, (l / 16) * 4096 + i / 32 * 16 + l % 16)
GLOBAL(load_bytes, unsigned char, i)
GLOBAL(load_bytes_stride_32, unsigned char, i * 32)
GLOBAL(load_halves, unsigned short, i)
GLOBAL(load_f64, double, i)
GLOBAL(load_f64_shifted_by_1, double, i + 1)
GLOBAL(load_f64_stride_2, double, i * 2)
GLOBAL(load_f64_column, double, l * 512 + i / 32)
GLOBAL(load_float2, float2, i)
GLOBAL(load_float2_stride_2, float2, i * 2)
GLOBAL(load_float4, float4, i)
GLOBAL(load_float4_shifted_by_1, float4, i + 1)
GLOBAL(load_float4_broadcast, float4, i / 8)
STORE(store_shifted_by_1, float, i + 1)
STORE(store_stride_2, float, i * 2)
STORE(store_row_per_lane, float, l * 1024 + i / 32)
STORE(store_bytes_stride_4, unsigned char, i * 4)
STORE(store_f64_stride_2, double, i * 2)
STORE(store_float2_stride_2, float2, i * 2)
STORE(store_float4_stride_2, float4, i * 2)
ATOMIC(atomic_unit, i)
ATOMIC(atomic_stride_8, i * 8)
ATOMIC(atomic_per_warp, i / 32)

extern "C" __global__ void load_half_warp(float* out, const float* in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 < 16) {
        out[i] = in[i];
    }
}
extern "C" __global__ void load_odd_lanes(float* out, const float* in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 2 == 1) {
        out[i] = in[i];
    }
}

SHARED(shared_unit, float, 1024, t)
SHARED(shared_stride_2, float, 1024, l * 2 + w)
SHARED(shared_stride_4, float, 1024, l * 4 + w)
SHARED(shared_stride_8, float, 1024, l * 8 + w)
SHARED(shared_stride_16, float, 1024, l * 16 + w)
SHARED(shared_stride_32, float, 1024, l * 32 + w)
SHARED(shared_stride_33, float, 1056, l * 33 + w)
SHARED(shared_stride_3, float, 1024, l * 3 + w)
SHARED(shared_broadcast, float, 1024, w)
SHARED(shared_pairs, float, 1024, l / 2 + w)
SHARED(shared_eight_words, float, 1024, l / 4 * 32 + w)
SHARED(shared_swizzled, float, 1024, l * 32 + (w ^ l))
SHARED(shared_bytes, unsigned char, 1024, t)
SHARED(shared_bytes_stride_4, unsigned char, 1024, l * 4 + w)
SHARED(shared_f64, double, 1024, t)
SHARED(shared_f64_stride_2, double, 1024, l * 2 + w)
SHARED(shared_f64_column, double, 1024, l * 32 + w)
SHARED(shared_float2, float2, 1024, t)
SHARED(shared_float2_stride_4, float2, 1024, l * 4 + w)
SHARED(shared_float4, float4, 1024, t)
SHARED(shared_float4_stride_2, float4, 1024, l * 2 + w)
SHARED(shared_float4_column, float4, 1024, l * 8 + w)
