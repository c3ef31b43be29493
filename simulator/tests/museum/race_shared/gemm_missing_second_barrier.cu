// Assignment 1's shared product: 16×16 tiles with one barrier per tile.
// launch: grid 2 2 block 16 16
// arg: float c[1024]
// arg: float a[1024] = iota
// arg: float b[1024] = iota
// arg: int n = 32
// finds: race
extern "C" __global__ void shared_product(float* c, const float* a, const float* b, int n) {
    __shared__ float tile_a[16][16];
    __shared__ float tile_b[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0;
    for (int start = 0; start < n; start += 16) {
        tile_a[y][x] = a[row * n + start + x];
        tile_b[y][x] = b[(start + y) * n + col];
        __syncthreads();
        for (int p = 0; p < 16; ++p) {
            sum += tile_a[y][p] * tile_b[p][x];
        }
    }
    c[row * n + col] = sum;
}
