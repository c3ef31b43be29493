// The reduction of NVIDIA's sample threadFenceReduction: the last block adds the partial sums.
// launch: grid 8 block 64
// arg: float out[1]
// arg: float part[8]
// arg: unsigned counter[1] = zeros
// arg: float in[512] = iota
extern "C" __global__ void reduce(float* out, volatile float* part, unsigned* counter, const float* in) {
    __shared__ float sum[64];
    __shared__ bool last;
    int x = threadIdx.x;
    sum[x] = in[blockIdx.x * 64 + x];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (x < half) {
            sum[x] += sum[x + half];
        }
        __syncthreads();
    }
    if (x == 0) {
        part[blockIdx.x] = sum[0];
        __threadfence();
        last = atomicInc(counter, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float all = 0;
        for (int i = x; i < gridDim.x; i += 64) {
            all += part[i];
        }
        sum[x] = all;
        __syncthreads();
        for (int half = 32; half > 0; half /= 2) {
            if (x < half) {
                sum[x] += sum[x + half];
            }
            __syncthreads();
        }
        if (x == 0) {
            *out = sum[0];
            *counter = 0;
        }
    }
}
