// Written by rows, a barrier, read by columns.
// launch: grid 2 2 block 32 8
// arg: float out[4096]
// arg: float in[4096] = iota
extern "C" __global__ void transpose(float* out, const float* in) {
    __shared__ float tile[32][33];
    int x = threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += 8) {
        tile[y][x] = in[(blockIdx.y * 32 + y) * 64 + blockIdx.x * 32 + x];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8) {
        out[(blockIdx.x * 32 + y) * 64 + blockIdx.y * 32 + x] = tile[x][y];
    }
}
