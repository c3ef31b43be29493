// Rows of 33 floats, read as float2: every other row begins at an odd float.
// launch: grid 1 block 16 2
// arg: float out[128]
// arg: float in[66] = iota
// finds: misaligned
extern "C" __global__ void copy(float2* out, const float* in) {
    const float* row = in + 33 * threadIdx.y;
    out[16 * threadIdx.y + threadIdx.x] = reinterpret_cast<const float2*>(row)[threadIdx.x];
}
