// Every lane ends with the sum.

extern "C" __global__ void shuffle_f32(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < n ? in[i] : 0;
    for (int distance = 1; distance < 32; distance *= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }
    if (i % 32 == 0 && i < n) {
        out[i / 32] = sum;
    }
}
