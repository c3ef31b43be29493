// due: 0 of 2
// The first lane of each warp adds all 32.

extern "C" __global__ void shuffle_f32(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 32 == 0 && i < n) {
        float sum = 0;
        for (int k = i; k < min(n, i + 32); k++) {
            sum += in[k];
        }
        out[i / 32] = sum;
    }
}
