// The tile is read by columns before other warps have written their rows.
// launch: grid 1 1 block 32 8
// arg: float out[1024]
// arg: float in[1024] = iota
// finds: race
extern "C" __global__ void transpose(float* out, const float* in) {
    __shared__ float tile[32][33];
    int x = threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += 8) {
        tile[y][x] = in[y * 32 + x];
    }
    for (int y = threadIdx.y; y < 32; y += 8) {
        out[y * 32 + x] = tile[x][y];
    }
}
