// due: 0 of 2
// Each thread reads the other end from global memory.

extern "C" __global__ void shared_f32(float* out, const float* in, int n) {
    const int t = threadIdx.x;
    const int begin = blockIdx.x * 256;
    const int count = min(256, n - begin);
    if (t < count) {
        out[begin + t] = in[begin + count - 1 - t];
    }
}
