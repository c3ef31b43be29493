// One access pattern per kernel, to compare what the simulator counts with what Nsight Compute counts on a GPU.
//
// Every kernel runs one block per 256 threads; `i` is the thread's number in the grid. Strides and shifts are in elements
// and come as parameters, so that the compiler cannot fold an access away.

template <typename T>
__device__ void copy(T* out, const T* in, int shift_in, int stride_in, int shift_out, int stride_out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * stride_out + shift_out] = in[i * stride_in + shift_in];
}

#define COPY(T, name)                                                                                              \
    extern "C" __global__ void copy_##name(T* out, const T* in, int shift_in, int stride_in, int shift_out,        \
                                           int stride_out) {                                                       \
        copy<T>(out, in, shift_in, stride_in, shift_out, stride_out);                                              \
    }

COPY(unsigned char, u8)
COPY(unsigned short, u16)
COPY(float, f32)
COPY(double, f64)
COPY(float2, float2)
COPY(float4, float4)

// Lanes whose bit in `mask` is set copy; the others do nothing.
extern "C" __global__ void masked(float* out, const float* in, int mask) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (mask >> (threadIdx.x % 32) & 1) {
        out[i] = in[i];
    }
}

// Groups of `width` neighbouring lanes read one element.
extern "C" __global__ void broadcast(float* out, const float* in, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i / width];
}

// A permutation within the warp: lane ^ `flip`.
extern "C" __global__ void permute(float* out, const float* in, int flip) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i ^ flip];
}

// One row of `pitch` floats per lane.
extern "C" __global__ void column(float* out, const float* in, int pitch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * pitch];
}

template <typename T>
__device__ void shared_load(T* out, int shift, int stride) {
    __shared__ T tile[32768 / sizeof(T)];
    int x = threadIdx.x;
    const int count = 32768 / sizeof(T);
    for (int k = x; k < count; k += blockDim.x) {
        tile[k] = T();
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + x] = tile[(x % 32 * stride + shift) % count];
}

template <typename T>
__device__ void shared_store(T* out, int shift, int stride) {
    __shared__ T tile[32768 / sizeof(T)];
    int x = threadIdx.x;
    const int count = 32768 / sizeof(T);
    tile[(x % 32 * stride + shift) % count] = out[x];
    __syncthreads();
    out[blockIdx.x * blockDim.x + x] = tile[x % 32];
}

#define SHARED(T, name)                                                                                            \
    extern "C" __global__ void shared_load_##name(T* out, int shift, int stride) {                                 \
        shared_load<T>(out, shift, stride);                                                                        \
    }                                                                                                              \
    extern "C" __global__ void shared_store_##name(T* out, int shift, int stride) {                                \
        shared_store<T>(out, shift, stride);                                                                       \
    }

SHARED(float, f32)
SHARED(double, f64)

// Four-byte words that `width` neighbouring lanes share.
extern "C" __global__ void shared_broadcast(float* out, int width) {
    __shared__ float tile[256];
    int x = threadIdx.x;
    tile[x] = x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + x] = tile[x / width];
}

// Vectors of four floats, `stride` vectors apart.
extern "C" __global__ void shared_load_float4(float4* out, int stride) {
    __shared__ float4 tile[1024];
    int x = threadIdx.x;
    for (int k = x; k < 1024; k += blockDim.x) {
        tile[k] = make_float4(k, 0, 0, 0);
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + x] = tile[x % 32 * stride];
}

extern "C" __global__ void shared_load_float2(float2* out, int stride) {
    __shared__ float2 tile[2048];
    int x = threadIdx.x;
    for (int k = x; k < 2048; k += blockDim.x) {
        tile[k] = make_float2(k, 0);
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + x] = tile[x % 32 * stride];
}

// Atomics on `targets` different counters.
extern "C" __global__ void atomic_global(unsigned* counters, int targets) {
    atomicAdd(&counters[threadIdx.x % targets], 1u);
}

extern "C" __global__ void atomic_shared(unsigned* out, int targets) {
    __shared__ unsigned counters[256];
    int x = threadIdx.x;
    counters[x] = 0;
    __syncthreads();
    atomicAdd(&counters[x % targets], 1u);
    __syncthreads();
    out[blockIdx.x * blockDim.x + x] = counters[x];
}
