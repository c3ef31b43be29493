// Two tiles of a product, the first of which was made a row too small: its last row is written over the second.
// launch: grid 1 block 16 16
// arg: float c[256] = zeros
// arg: float a[256] = iota
// arg: float b[256] = iota
// finds: out of bounds
#define EDGE 16
extern "C" __global__ void product(float* c, const float* a, const float* b) {
    __shared__ float ta[EDGE - 1][EDGE];
    __shared__ float tb[EDGE][EDGE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    ta[y][x] = a[y * EDGE + x];
    tb[y][x] = b[y * EDGE + x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < EDGE; ++i) {
        sum += ta[y][i] * tb[i][x];
    }
    c[y * EDGE + x] = sum;
}
