// Two tiles of a product that lie side by side, each used up to its last element, and a pointer that changes from one to the other.
// launch: grid 1 block 16 16
// arg: float c[256] = zeros
// arg: float a[256] = iota
// arg: float b[256] = iota
#define EDGE 16
extern "C" __global__ void product(float* c, const float* a, const float* b) {
    __shared__ float ta[EDGE][EDGE];
    __shared__ float tb[EDGE][EDGE];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    ta[y][x] = a[y * EDGE + x];
    tb[EDGE - 1 - y][EDGE - 1 - x] = b[(EDGE - 1 - y) * EDGE + EDGE - 1 - x];
    __syncthreads();
    float sum = 0;
    for (int i = EDGE - 1; i >= 0; --i) {
        sum += ta[y][i] * tb[i][x];
    }
    float* tile = &ta[0][0];
    for (int round = 0; round < 4; ++round) {
        sum += tile[(y * EDGE + x + round) % (EDGE * EDGE)];
        tile = tile == &ta[0][0] ? &tb[0][0] : &ta[0][0];
    }
    c[y * EDGE + x] = sum;
}
