// A 20×10 matrix is indexed as if it had 20 columns.
// launch: grid 1 block 10 20
// arg: float out[200]
// arg: float in[200] = iota
// finds: out of bounds
extern "C" __global__ void copy(float* out, const float* in) {
    int x = threadIdx.x, y = threadIdx.y;
    out[y * 10 + x] = in[y * 20 + x];
}
