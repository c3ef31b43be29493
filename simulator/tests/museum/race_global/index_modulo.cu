// Taken modulo the number of elements, the index of one block is the index of another.
// launch: grid 4 block 32
// arg: int out[64]
// finds: race
extern "C" __global__ void fill(int* out) {
    int i = blockIdx.x * 32 + threadIdx.x;
    out[i % 64] = i;
}
