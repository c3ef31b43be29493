// Warps of one block exchange through global memory without a barrier.
// launch: grid 1 block 64
// arg: int data[64]
// arg: int out[64]
// finds: race
extern "C" __global__ void exchange(int* data, int* out) {
    int x = threadIdx.x;
    data[x] = x * x;
    out[x] = data[63 - x];
}
