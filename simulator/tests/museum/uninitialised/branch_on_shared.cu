// The flags that say which slot is taken are never set to 0.
// launch: grid 1 block 64
// arg: int out[64]
// arg: int in[64] = iota
// arg: int taken = 5
// finds: uninitialised
extern "C" __global__ void claim(int* out, const int* in, int taken) {
    __shared__ int flags[64];
    int x = threadIdx.x;
    if (x < taken) {
        flags[in[x]] = 1;
    }
    __syncthreads();
    int count = 0;
    for (int i = 0; flags[i] == 1 && i < 63; ++i) {
        count += in[i];
    }
    out[x] = count;
}
