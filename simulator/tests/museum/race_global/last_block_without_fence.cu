// The last block adds the partial sums, but nobody made sure that they are there before the counter says so.
// launch: grid 8 block 32
// arg: float out[1]
// arg: float part[8]
// arg: int counter[1] = zeros
// arg: float in[256] = iota
// finds: race
extern "C" __global__ void reduce(float* out, float* part, int* counter, const float* in) {
    float sum = in[blockIdx.x * 32 + threadIdx.x];
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(~0u, sum, step);
    }
    if (threadIdx.x == 0) {
        part[blockIdx.x] = sum;
        if (atomicAdd(counter, 1) == gridDim.x - 1) {
            float all = 0;
            for (int i = 0; i < gridDim.x; ++i) {
                all += part[i];
            }
            *out = all;
        }
    }
}
