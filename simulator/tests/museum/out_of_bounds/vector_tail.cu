// The last float4 reaches over the end of an array whose length is no multiple of 4.
// launch: grid 1 block 32
// arg: float out[128]
// arg: float in[126] = iota
// finds: out of bounds
extern "C" __global__ void copy(float4* out, const float4* in) {
    out[threadIdx.x] = in[threadIdx.x];
}
