// The table of indices was allocated and never filled.
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[64] = iota
// arg: int index[32]
// finds: uninitialised
extern "C" __global__ void gather(int* out, const int* in, const int* index) {
    out[threadIdx.x] = in[index[threadIdx.x] & 63];
}
