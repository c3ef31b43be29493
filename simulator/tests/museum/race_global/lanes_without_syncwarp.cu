// Lanes of a warp exchange through global memory without __syncwarp().
// launch: grid 1 block 32
// arg: int data[32] = iota
// finds: race
extern "C" __global__ void rotate(int* data) {
    int x = threadIdx.x;
    data[(x + 1) % 32] = data[x] * 2;
}
