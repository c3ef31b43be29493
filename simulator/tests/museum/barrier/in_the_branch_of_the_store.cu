// The barrier went into the branch that guards the store: warps whose rows lie outside pass it by.
// launch: grid 1 block 32 32
// arg: float out[1024]
// arg: float in[1024] = iota
// arg: int rows = 24
// finds: barrier, race
extern "C" __global__ void transposed(float* out, const float* in, int rows) {
    __shared__ float tile[32][32];
    int x = threadIdx.x;
    int y = threadIdx.y;
    if (y < rows) {
        tile[y][x] = in[y * 32 + x];
        __syncthreads();
    }
    if (x < rows) {
        out[y * 32 + x] = tile[x][y];
    }
}
