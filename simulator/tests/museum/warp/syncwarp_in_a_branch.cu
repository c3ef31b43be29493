// __syncwarp() names lanes that took the other way.
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[32] = iota
// finds: wrong mask
extern "C" __global__ void half(int* out, const int* in) {
    __shared__ int data[32];
    int x = threadIdx.x;
    data[x] = in[x];
    if (in[x] % 2) {
        data[x] += 1;
        __syncwarp();
        out[x] = data[x];
    } else {
        out[x] = data[x] * 7;
    }
}
