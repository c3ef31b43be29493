// The part of the tile behind the edge of the matrix is not filled.
// launch: grid 1 block 32
// arg: float out[32]
// arg: float in[20] = iota
// arg: int n = 20
// finds: uninitialised
extern "C" __global__ void sum(float* out, const float* in, int n) {
    __shared__ float tile[32];
    int x = threadIdx.x;
    if (x < n) {
        tile[x] = in[x];
    }
    __syncthreads();
    float all = 0;
    for (int i = 0; i < 32; ++i) {
        all += tile[i];
    }
    out[x] = all;
}
