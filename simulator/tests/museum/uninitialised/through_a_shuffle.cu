// The upper half of the warp has nothing to bring to the sum.
// launch: grid 1 block 32
// arg: float out[1]
// arg: float in[16] = iota
// finds: uninitialised
extern "C" __global__ void sum(float* out, const float* in) {
    __shared__ float data[32];
    if (threadIdx.x < 16) {
        data[threadIdx.x] = in[threadIdx.x];
    }
    __syncwarp();
    float value = data[threadIdx.x];
    for (int step = 16; step > 0; step /= 2) {
        value += __shfl_down_sync(0xffffffff, value, step);
    }
    if (threadIdx.x == 0) {
        *out = value;
    }
}
