// due: 1 of 2
// Each thread has a run of neighbouring elements, so that the lanes of a warp are far apart.

extern "C" __global__ void stride_f32(float* out, const float* in, int n) {
    const int threads = gridDim.x * blockDim.x;
    const int run = (n + threads - 1) / threads < 8 ? 8 : (n + threads - 1) / threads;
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * run;
    for (int i = first; i < min(n, first + run); i++) {
        out[i] = 2 * in[i];
    }
}
