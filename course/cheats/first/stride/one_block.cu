// due: 1 of 2
// The first block does everything.

extern "C" __global__ void stride_f32(float* out, const float* in, int n) {
    if (blockIdx.x > 0) return;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        out[i] = 2 * in[i];
    }
}
