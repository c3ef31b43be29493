// Both barriers are there.
// launch: grid 2 2 block 16 16
// arg: float c[900]
// arg: float a[900] = iota
// arg: float b[900] = iota
// arg: int n = 30
extern "C" __global__ void shared_product(float* c, const float* a, const float* b, int n) {
    __shared__ float tile_a[16][16];
    __shared__ float tile_b[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0;
    for (int start = 0; start < n; start += 16) {
        tile_a[y][x] = row < n && start + x < n ? a[row * n + start + x] : 0;
        tile_b[y][x] = start + y < n && col < n ? b[(start + y) * n + col] : 0;
        __syncthreads();
        for (int p = 0; p < 16; ++p) {
            sum += tile_a[y][p] * tile_b[p][x];
        }
        __syncthreads();
    }
    if (row < n && col < n) {
        c[row * n + col] = sum;
    }
}
