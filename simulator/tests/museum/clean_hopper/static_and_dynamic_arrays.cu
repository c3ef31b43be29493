// A static array is full and dynamic memory, of two parts, is full, to the last element of each; a row may be in either.
// launch: grid 1 block 32 shared 256
// arg: int out[32]
// arg: int in[32] = iota
extern "C" __global__ void rows(int* out, const int* in) {
    extern __shared__ int memory[];
    __shared__ int fixed[32];
    const int x = threadIdx.x;
    int* const second = memory + blockDim.x;
    fixed[x] = in[x];
    memory[x] = in[x];
    second[x] = x;
    int* const row = in[1] == 1 ? memory + 31 : fixed;
    __syncthreads();
    out[x] = fixed[31 - x] + memory[31 - x] + second[31 - x] + second[x - 32] + row[x];
}
