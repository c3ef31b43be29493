// due: 0 of 4
// Each element is counted in global memory.

__device__ int bin_of(float x) {
    return min(int(x * x * 256), 255);
}

extern "C" __global__ void histogram_shared_f32(float* out, const float* in, int n) {
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        atomicAdd(&out[bin_of(in[i])], 1.0f);
    }
}
