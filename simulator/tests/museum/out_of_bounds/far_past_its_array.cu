// A row that the matrix does not have: the address lies far past its end, and nearer to the next allocation.
// launch: grid 1 block 32
// arg: int in[64] = iota
// arg: int out[32]
// arg: int row = 450
// finds: out of bounds
extern "C" __global__ void row_of(const int* in, int* out, int row) {
    out[threadIdx.x] = in[row * 32 + threadIdx.x];
}
