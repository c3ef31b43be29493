// The host copied half of the input: bytes were counted as elements.
// launch: grid 1 block 64
// arg: float out[64]
// arg: float in[64] = iota 32
// finds: uninitialised
extern "C" __global__ void copy(float* out, const float* in) {
    out[threadIdx.x] = in[threadIdx.x];
}
