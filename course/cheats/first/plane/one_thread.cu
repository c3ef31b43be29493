// due: 0 of 2
// One thread of each block writes the whole of its part.

extern "C" __global__ void plane_f32(float* out, const float* in, int rows, int columns) {
    if (threadIdx.x + threadIdx.y > 0) return;
    for (int row = blockIdx.y * 8; row < min(rows, (int)blockIdx.y * 8 + 8); row++) {
        for (int column = blockIdx.x * 32; column < min(columns, (int)blockIdx.x * 32 + 32); column++) {
            out[row * columns + column] = (row + column) % 2 == 0 ? in[row * columns + column] : -in[row * columns + column];
        }
    }
}
