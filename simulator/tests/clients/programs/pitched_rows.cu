// Rows that begin a pitch apart: cudaMallocPitch, cudaMemcpy2D, cudaMemset2D, a transpose with a padded tile.
#include "check.h"
__global__ void transpose(const float *in, size_t in_pitch, float *out, size_t out_pitch, int width, int height) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * in_pitch / 4 + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
    if (x < height && y < width) out[y * out_pitch / 4 + x] = tile[threadIdx.x][threadIdx.y];
}
int main() {
    const int w = 75, h = 41; static float a[h][w], b[w][h];
    for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) a[i][j] = i * 1000 + j;
    float *x, *y; size_t px, py;
    CALL(cudaMallocPitch(&x, &px, w * 4, h)); CALL(cudaMallocPitch(&y, &py, h * 4, w));
    CHECK(px % 256 == 0 && px >= w * 4);
    CALL(cudaMemcpy2D(x, px, a, w * 4, w * 4, h, cudaMemcpyHostToDevice));
    CALL(cudaMemset2D(y, py, 0, h * 4, w));
    transpose<<<dim3(3, 2), dim3(32, 32)>>>(x, px, y, py, w, h);
    CALL(cudaMemcpy2D(b, h * 4, y, py, h * 4, w, cudaMemcpyDeviceToHost));
    for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) CHECK(b[j][i] == a[i][j]);
    CHECK(cudaMemcpy2D(b, 3, y, py, h * 4, w, cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue);
}
