// The host never set the pointer.
// launch: grid 1 block 32
// arg: float* out = null
// finds: null pointer
extern "C" __global__ void fill(float* out) {
    out[threadIdx.x] = 1;
}
