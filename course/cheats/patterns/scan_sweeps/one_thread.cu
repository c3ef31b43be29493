// due: 1 of 5
// One thread adds one element after the other.

extern "C" __global__ void scan_sweeps_f32(float* out, const float* in, int n) {
    const int begin = blockIdx.x * 1024;
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = begin; i < n && i < begin + 1024; i++) {
            sum += in[i];
            out[i] = sum;
        }
    }
}
