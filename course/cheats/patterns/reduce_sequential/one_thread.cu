// due: 0 of 4
// One thread of a block adds all its elements.

extern "C" __global__ void reduce_sequential_f32(float* out, const float* in, int n) {
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = blockIdx.x * 512; i < n && i < (blockIdx.x + 1) * 512; i++) {
            sum += in[i];
        }
        atomicAdd(out, sum);
    }
}
