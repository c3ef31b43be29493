// What the programs of assignment 4 do on their GTX 1050, with their mistakes: the products of `lab-gemm` do other loads. Matrices of
// N × N floats, blocks of EDGE × EDGE threads; neither size is known to the kernels at run time only, and no pointer is `__restrict__`, so that
// no load may pass a store. `published.md` has the command, and the table.
//
// Rows and parameters are as in `simulator/calibration/kernels/calibration.cu`.
#define PARAMETERS (const float* a, const float* b, float* c, int n, int m)
#define X (threadIdx.x % EDGE)
#define Y (threadIdx.x / EDGE)
#define BLOCK_X(BLOCKS) (blockIdx.x % (BLOCKS))
#define BLOCK_Y(BLOCKS) (blockIdx.x / (BLOCKS))

// Method 1: one block goes over all of C, tile by tile. Its loads leave the tile's place out, so that each tile is the first one's product.
template <int EDGE, int N>
__device__ void one_block(const float* a, const float* b, float* c) {
    for (int column = 0; column < N; column += EDGE) {
        for (int row = 0; row < N; row += EDGE) {
            float sum = 0;
            for (int k = 0; k < N; k++) sum += a[Y * N + k] * b[k * N + X];
            c[(row + Y) * N + column + X] = sum;
        }
    }
}

// Method 2: a thread for each element, with the block's edge where the matrix' width should be: of A and B only the first N · EDGE elements
// and a few are read, and two steps of the outer loop ask for the same ones of B. The counted efficiency, 23.29 % at edge 8, is that of 9 loads of B for
// 16 steps: its compiler took the outer loop two steps at a time.
template <int EDGE, int N>
__device__ void many_blocks(const float* a, const float* b, float* c) {
    const int row = BLOCK_Y(N / EDGE) * EDGE + Y, column = BLOCK_X(N / EDGE) * EDGE + X;
    float sum = 0;
#pragma unroll EDGE == 8 || N / EDGE == 2 ? 2 : 1
    for (int step = 0; step < N / EDGE; step++) {
#pragma unroll
        for (int k = 0; k < EDGE; k++) sum += a[(row + step) * EDGE + k] * b[(k + step) * EDGE + column];
    }
    c[row * N + column] = sum;
}

// Method 6: DOWN × 2 elements for each thread. The next tiles wait in shared memory too, each thread's where itself left them, but the loop asks for the
// tile that it is at: N / EDGE + 1 tiles in all, the first one twice. With four elements all products go to one sum, and zeros to three of four elements.
template <int EDGE, int N, int DOWN>
__device__ void by_tiles(const float* a, const float* b, float* c) {
    __shared__ float left[DOWN * EDGE][EDGE], right[EDGE][2 * EDGE], next_left[DOWN * EDGE][EDGE], next_right[EDGE][2 * EDGE];
    const int row = BLOCK_Y(N / (2 * EDGE)) * DOWN * EDGE, column = BLOCK_X(N / (2 * EDGE)) * 2 * EDGE;
    float sums[DOWN * 2] = {};
    auto fetch = [&](int start) {
        for (int i = 0; i < DOWN; i++) next_left[Y + i * EDGE][X] = a[(row + Y + i * EDGE) * N + start + X];
        for (int i = 0; i < 2; i++) next_right[Y][X + i * EDGE] = b[(start + Y) * N + column + X + i * EDGE];
    };
    fetch(0);
    for (int start = 0; start < N; start += EDGE) {
        for (int i = 0; i < DOWN; i++) left[Y + i * EDGE][X] = next_left[Y + i * EDGE][X];
        for (int i = 0; i < 2; i++) right[Y][X + i * EDGE] = next_right[Y][X + i * EDGE];
        __syncthreads();
        fetch(start);
#pragma unroll
        for (int element = 0; element < DOWN * 2; element++) {
            const int i = element / 2, j = element % 2;
#pragma unroll
            for (int k = 0; k < EDGE; k++) sums[DOWN == 1 ? element : 0] += left[Y + i * EDGE][k] * right[k][X + j * EDGE];
        }
        __syncthreads();
    }
    for (int element = 0; element < DOWN * 2; element++) {
        c[(row + Y + element / 2 * EDGE) * N + column + X + element % 2 * EDGE] = sums[element];
    }
}

// Their occupancy, 85 to 96 % at N = 256, is that of all the multiprocessor's threads: of 32 registers each.
#define KERNEL(NAME, EDGE, N, DOES)                                                                                      \
    extern "C" __global__ void __maxnreg__(32) NAME##_##EDGE##_##N PARAMETERS { DOES(a, b, c); }
#define KERNELS(EDGE, N)                                          \
    KERNEL(method_1, EDGE, N, (one_block<EDGE, N>))               \
    KERNEL(method_2, EDGE, N, (many_blocks<EDGE, N>))             \
    KERNEL(method_6_2, EDGE, N, (by_tiles<EDGE, N, 1>))           \
    KERNEL(method_6_4, EDGE, N, (by_tiles<EDGE, N, 2>))
KERNELS(8, 64)
KERNELS(8, 128)
KERNELS(8, 256)
KERNELS(16, 64)
KERNELS(16, 128)
KERNELS(16, 256)
KERNELS(32, 64)
KERNELS(32, 128)
KERNELS(32, 256)

//: method_1_8_64 method_1_8_64 1 64 0 0 uniform
//: method_1_8_128 method_1_8_128 1 64 0 0 uniform
//: method_1_8_256 method_1_8_256 1 64 0 0 uniform
//: method_1_16_64 method_1_16_64 1 256 0 0 uniform
//: method_1_16_128 method_1_16_128 1 256 0 0 uniform
//: method_1_16_256 method_1_16_256 1 256 0 0 uniform
//: method_1_32_64 method_1_32_64 1 1024 0 0 uniform
//: method_1_32_128 method_1_32_128 1 1024 0 0 uniform
//: method_1_32_256 method_1_32_256 1 1024 0 0 uniform
//: method_2_8_64 method_2_8_64 64 64 0 0 uniform
//: method_2_8_128 method_2_8_128 256 64 0 0 uniform
//: method_2_8_256 method_2_8_256 1024 64 0 0 uniform
//: method_2_16_64 method_2_16_64 16 256 0 0 uniform
//: method_2_16_128 method_2_16_128 64 256 0 0 uniform
//: method_2_16_256 method_2_16_256 256 256 0 0 uniform
//: method_2_32_64 method_2_32_64 4 1024 0 0 uniform
//: method_2_32_128 method_2_32_128 16 1024 0 0 uniform
//: method_2_32_256 method_2_32_256 64 1024 0 0 uniform
//: method_6_2_8_64 method_6_2_8_64 32 64 0 0 uniform
//: method_6_2_8_128 method_6_2_8_128 128 64 0 0 uniform
//: method_6_2_8_256 method_6_2_8_256 512 64 0 0 uniform
//: method_6_2_16_64 method_6_2_16_64 8 256 0 0 uniform
//: method_6_2_16_128 method_6_2_16_128 32 256 0 0 uniform
//: method_6_2_16_256 method_6_2_16_256 128 256 0 0 uniform
//: method_6_2_32_64 method_6_2_32_64 2 1024 0 0 uniform
//: method_6_2_32_128 method_6_2_32_128 8 1024 0 0 uniform
//: method_6_2_32_256 method_6_2_32_256 32 1024 0 0 uniform
//: method_6_4_8_64 method_6_4_8_64 16 64 0 0 uniform
//: method_6_4_8_128 method_6_4_8_128 64 64 0 0 uniform
//: method_6_4_8_256 method_6_4_8_256 256 64 0 0 uniform
//: method_6_4_16_64 method_6_4_16_64 4 256 0 0 uniform
//: method_6_4_16_128 method_6_4_16_128 16 256 0 0 uniform
//: method_6_4_16_256 method_6_4_16_256 64 256 0 0 uniform
//: method_6_4_32_64 method_6_4_32_64 1 1024 0 0 uniform
//: method_6_4_32_128 method_6_4_32_128 4 1024 0 0 uniform
//: method_6_4_32_256 method_6_4_32_256 16 1024 0 0 uniform
