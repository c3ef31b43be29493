// An array for the sums of a row has 8 elements, and the block more threads: they reach the dynamic memory that the launch gives for it.
// launch: grid 1 block 16 4 shared 256
// arg: float out[4]
// arg: float in[64] = iota
// finds: out of bounds
extern "C" __global__ void rows(float* out, const float* in) {
    __shared__ float sums[8];
    const int own = threadIdx.y * blockDim.x + threadIdx.x;
    sums[own] = in[own];
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            sums[own] += sums[own + half];
        }
    }
    if (threadIdx.x == 0) {
        out[threadIdx.y] = sums[own];
    }
}
