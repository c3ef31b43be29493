// A while loop, and the blocks from the last one on.

extern "C" __global__ void stride_f32(float* out, const float* in, int n) {
    int i = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x;
    while (i < n) {
        out[i] = in[i] + in[i];
        i += blockDim.x * gridDim.x;
    }
}
