// The padding column is read as if it were data.
// launch: grid 1 block 32 2
// arg: float out[32]
// arg: float in[1024] = iota
// finds: uninitialised
extern "C" __global__ void rows(float* out, const float* in) {
    __shared__ float tile[32][33];
    int x = threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += 2) {
        tile[y][x] = in[y * 32 + x];
    }
    __syncthreads();
    if (threadIdx.y == 0) {
        float sum = 0;
        for (int i = 0; i <= 32; ++i) {
            sum += tile[x][i];
        }
        out[x] = sum;
    }
}
