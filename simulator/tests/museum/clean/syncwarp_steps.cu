// The last steps within a warp, kept apart by __syncwarp().
// launch: grid 1 block 32
// arg: float out[1]
// arg: float in[32] = iota
extern "C" __global__ void reduce(float* out, const float* in) {
    __shared__ float part[32];
    int x = threadIdx.x;
    part[x] = in[x];
    __syncwarp();
    for (int half = 16; half > 0; half /= 2) {
        float other = part[(x + half) % 32];
        __syncwarp();
        part[x] += other;
        __syncwarp();
    }
    if (x == 0) {
        *out = part[0];
    }
}
