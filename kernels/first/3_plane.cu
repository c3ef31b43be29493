// A chessboard out of a matrix: out[row][column] = in[row][column] where row + column is even, and 0 elsewhere.
//
// The matrix has `rows` rows of `columns` elements, one row after the other: element (row, column) lies at row·columns + column.
//
// Launch: grid (⌈columns/32⌉, ⌈rows/8⌉), block (32, 8): x counts along a row, y from row to row. The blocks at the edges stick out.
// Napkin: a warp is 32 threads with the same y. Its 32 neighbours in a row are 128 bytes, 4 sectors; 32 rows of a column are 32.

extern "C" __global__ void plane_f32(float* out, const float* in, int rows, int columns) {
    // TASK: Work out row and column of this thread, leave out what lies beyond the matrix, and write the element.
    // BEGIN SOLUTION
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        const int i = row * columns + column;
        out[i] = (row + column) % 2 == 0 ? in[i] : 0;
    }
    // END SOLUTION
}
