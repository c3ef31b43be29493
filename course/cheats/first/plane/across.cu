// due: 1 of 2
// x counts from row to row: the lanes of a warp lie below each other.

extern "C" __global__ void plane_f32(float* out, const float* in, int rows, int columns) {
    const int block = blockIdx.y * gridDim.x + blockIdx.x;
    const int threads = gridDim.x * gridDim.y * 256;
    for (int k = block * 256 + threadIdx.y * 32 + threadIdx.x; k < rows * columns; k += threads) {
        const int row = k % rows, column = k / rows;
        out[row * columns + column] = (row + column) % 2 == 0 ? in[row * columns + column] : 0;
    }
}
