// Additions by lanes side by side, in the order of the blocks and in another: one thing each. Measured on an H200.
//
// requires: sm_80
typedef unsigned int u32;
#define BENCH(name, A, C) extern "C" __global__ void name(const A* __restrict__ a, const float* __restrict__ b, C* __restrict__ c, int n, int m)
#define TID (blockIdx.x * blockDim.x + threadIdx.x)
// n warps behind each other add m lanes to the same words.
//: in_order_8 in_order 4096 64 128 8 zeros
//: in_order_32 in_order 4096 64 128 32 zeros
//: in_order_2 in_order 4096 64 128 2 zeros
//: in_order_8_512 in_order 4096 64 512 8 zeros
//: in_order_8_1024 in_order 4096 64 1024 8 zeros
//: in_order_8_8192 in_order 4096 64 8192 8 zeros
//: in_order_32_1024 in_order 4096 64 1024 32 zeros
//: in_order_32_8192 in_order 4096 64 8192 32 zeros
//: in_order_8_more in_order 16384 64 512 8 zeros
//: in_order_8_wide in_order 1024 256 128 8 zeros
//: in_order_8_wide_1024 in_order 1024 256 1024 8 zeros
//: in_order_8_wide_8192 in_order 1024 256 8192 8 zeros
//: in_order_1_8192 in_order 1024 256 8192 1 zeros
//: in_order_2_8192 in_order 1024 256 8192 2 zeros
//: in_order_4_8192 in_order 1024 256 8192 4 zeros
//: in_order_16_8192 in_order 1024 256 8192 16 zeros
BENCH(in_order, float, float) {
    u32 warp = TID / 32, lane = TID % 32;
    if (lane < m) atomicAdd(&c[warp / n * m + lane], b[lane]);
}
// The same of whole numbers.
//: whole_8 whole 4096 64 128 8 zeros
//: whole_8_8192 whole 1024 256 8192 8 zeros
//: whole_32_8192 whole 1024 256 8192 32 zeros
//: whole_1_8192 whole 1024 256 8192 1 zeros
BENCH(whole, u32, u32) {
    u32 warp = TID / 32, lane = TID % 32;
    if (lane < m) atomicAdd(&c[warp / n * m + lane], a[lane] + lane);
}
// One of n rows of m words, in no order.
//: any_row_8_64 any_row 4096 64 64 8 zeros
//: any_row_32_64 any_row 4096 64 64 32 zeros
//: any_row_8_8 any_row 4096 64 8 8 zeros
BENCH(any_row, float, float) {
    u32 warp = TID / 32, lane = TID % 32;
    if (lane < m) atomicAdd(&c[(warp * 2654435761u >> 12) % n * m + lane], b[lane]);
}
// m lanes of each word, as many words as a warp has: n columns of a matrix, and how far apart the words are.
//: lanes_of_4 lanes_of 4096 64 512 4 zeros
//: lanes_of_8 lanes_of 2048 128 512 8 zeros
//: lanes_of_16 lanes_of 1024 256 512 16 zeros
//: lanes_of_32 lanes_of 512 512 512 32 zeros
//: lanes_of_32_one lanes_of 128 512 4096 32 zeros
//: lanes_of_32_256 lanes_of 128 512 256 32 zeros
//: lanes_of_32_128 lanes_of 128 512 128 32 zeros
BENCH(lanes_of, float, float) {
    int x = threadIdx.x % m, y = threadIdx.x / m, rows = blockDim.x / m;
    int row = blockIdx.x / (n / m) * rows + y;
    atomicAdd(&c[row], b[x]);
}
// The same, the words of a block's rows in lines of their own.
//: lanes_apart_32 lanes_apart 512 512 512 32 zeros
//: lanes_apart_32_256 lanes_apart 128 512 256 32 zeros
BENCH(lanes_apart, float, float) {
    int x = threadIdx.x % m, y = threadIdx.x / m, rows = blockDim.x / m;
    int row = blockIdx.x / (n / m) * rows + y;
    atomicAdd(&c[row * 32], b[x]);
}
