// A tile whose barrier only half of each warp reaches: the other half reads what nobody waited for.
// launch: grid 1 block 32 32
// arg: float out[1024]
// arg: float in[1024] = iota
// finds: barrier, race
extern "C" __global__ void transposed(float* out, const float* in) {
    __shared__ float tile[32][32];
    int x = threadIdx.x;
    int y = threadIdx.y;
    tile[y][x] = in[y * 32 + x];
    if (x < 16) {
        __syncthreads();
    }
    out[y * 32 + x] = tile[x][y];
}
