// due: 1 of 2
// The first warp of each block writes the whole of its part, a column for each lane in turn.

extern "C" __global__ void plane_f32(float* out, const float* in, int rows, int columns) {
    if (threadIdx.y > 0) return;
    const int row = blockIdx.y * 8 + threadIdx.x % 8;
    for (int i = threadIdx.x / 8; i < 32; i += 4) {
        const int column = blockIdx.x * 32 + (i % 4) * 8 + i / 4;
        if (row < rows && column < columns) {
            out[row * columns + column] = (row + column) % 2 == 0 ? in[row * columns + column] : 0;
        }
    }
}
