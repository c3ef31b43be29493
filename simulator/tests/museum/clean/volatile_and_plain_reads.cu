// Two warps read one word, one of them volatile: reading is no conflict.
// launch: grid 1 block 64
// arg: int out[64] = zeros
extern "C" __global__ void look(int* out) {
    __shared__ int word;
    if (threadIdx.x == 0) {
        word = 7;
    }
    __syncthreads();
    out[threadIdx.x] = threadIdx.x < 32 ? *(volatile int*)&word : word;
}
