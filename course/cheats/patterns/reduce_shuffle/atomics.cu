// due: 0 of 4
// Each thread adds its sum to the result.

extern "C" __global__ void reduce_shuffle_f32(float* out, const float* in, int n) {
    const int i = blockIdx.x * 512 + threadIdx.x;
    if (i < n) {
        atomicAdd(out, in[i] + (i + 256 < n ? in[i + 256] : 0));
    }
}
