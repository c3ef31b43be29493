// The last steps of a reduction count on lanes that run in step, which no card since Volta promises.
// launch: grid 1 block 32
// arg: float out[1]
// arg: float in[32] = iota
// finds: race
extern "C" __global__ void reduce(float* out, const float* in) {
    __shared__ float part[64];
    int x = threadIdx.x;
    part[x] = in[x];
    part[x + 32] = 0;
    for (int half = 16; half > 0; half /= 2) {
        part[x] += part[x + half];
    }
    if (x == 0) {
        *out = part[0];
    }
}
