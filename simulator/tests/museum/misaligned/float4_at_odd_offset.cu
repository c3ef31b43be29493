// A float4 is read from an address that is only a float's.
// launch: grid 1 block 8
// arg: float out[64]
// arg: float in[64] = iota
// finds: misaligned
extern "C" __global__ void copy(float4* out, const float* in) {
    out[threadIdx.x] = *reinterpret_cast<const float4*>(in + 1 + 4 * threadIdx.x);
}
