// due: 0 of 4
// Each element is added to the result by itself.

extern "C" __global__ void reduce_sequential_f32(float* out, const float* in, int n) {
    const int begin = blockIdx.x * 512 + threadIdx.x;
    for (int i = begin; i < n && i < begin + 512; i += 256) {
        atomicAdd(out, in[i]);
    }
}
