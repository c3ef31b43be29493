// The result is added to, but nobody cleared it.
// launch: grid 1 block 64
// arg: float out[64]
// arg: float in[64] = iota
// finds: uninitialised
extern "C" __global__ void add(float* out, const float* in) {
    out[threadIdx.x] += in[threadIdx.x];
}
