// A tree reduction whose steps are not kept apart.
// launch: grid 1 block 256
// arg: float out[1]
// arg: float in[256] = iota
// finds: race
extern "C" __global__ void reduce(float* out, const float* in) {
    __shared__ float part[256];
    int x = threadIdx.x;
    part[x] = in[x];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (x < half) {
            part[x] += part[x + half];
        }
    }
    if (x == 0) {
        *out = part[0];
    }
}
