// due: 0 of 4
// Each thread looks at all elements of the block for its own bin.

__device__ int bin_of(float x) {
    return min(int(x * x * 256), 255);
}

extern "C" __global__ void histogram_shared_f32(float* out, const float* in, int n) {
    const int share = (n + gridDim.x - 1) / gridDim.x;
    const int begin = blockIdx.x * share;
    unsigned count = 0;
    for (int i = begin; i < n && i < begin + share; i++) {
        count += bin_of(in[i]) == threadIdx.x;
    }
    if (count > 0) {
        atomicAdd(&out[threadIdx.x], float(count));
    }
}
