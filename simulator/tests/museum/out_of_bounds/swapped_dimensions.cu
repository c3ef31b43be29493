// Rows and columns are swapped in the check, which only a matrix that is not square shows.
// launch: grid 2 2 block 16 16
// arg: float out[300] = zeros
// arg: int rows = 15
// arg: int columns = 20
// finds: out of bounds
extern "C" __global__ void fill(float* out, int rows, int columns) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < rows && y < columns) {
        out[y * columns + x] = 1;
    }
}
