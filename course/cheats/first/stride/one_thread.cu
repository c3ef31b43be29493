// due: 0 of 2
// One thread of each block does what the block should.

extern "C" __global__ void stride_f32(float* out, const float* in, int n) {
    if (threadIdx.x > 0) return;
    for (int i = blockIdx.x; i < n; i += gridDim.x) {
        out[i] = 2 * in[i];
    }
}
