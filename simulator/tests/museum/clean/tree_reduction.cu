// A barrier per step, and one atomicAdd per block.
// launch: grid 4 block 128
// arg: float out[1] = zeros
// arg: float in[512] = iota
extern "C" __global__ void reduce(float* out, const float* in) {
    __shared__ float part[128];
    int x = threadIdx.x;
    part[x] = in[blockIdx.x * 128 + x];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (x < half) {
            part[x] += part[x + half];
        }
        __syncthreads();
    }
    if (x == 0) {
        atomicAdd(out, part[0]);
    }
}
