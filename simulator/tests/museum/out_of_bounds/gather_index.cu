// An index that comes out of memory points outside.
// launch: grid 1 block 32
// arg: float out[32]
// arg: float in[31] = iota
// arg: int index[32] = iota
// finds: out of bounds
extern "C" __global__ void gather(float* out, const float* in, const int* index) {
    out[threadIdx.x] = in[index[threadIdx.x]];
}
