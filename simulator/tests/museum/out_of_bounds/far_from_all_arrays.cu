// As far past an array, through a pointer that comes out of memory: nobody knows which array it was meant for.
// launch: grid 1 block 32
// arg: int in[64] = iota
// arg: int out[32]
// arg: int row = 450
// finds: out of bounds
extern "C" __global__ void row_of(const int* in, int* out, int row) {
    __shared__ const int* matrices[1];
    matrices[0] = in;
    __syncthreads();
    out[threadIdx.x] = matrices[0][row * 32 + threadIdx.x];
}
