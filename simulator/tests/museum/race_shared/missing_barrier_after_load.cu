// The tile is read before all of its threads have written it.
// launch: grid 1 block 128
// arg: float out[128]
// arg: float in[128] = iota
// finds: race
extern "C" __global__ void reverse(float* out, const float* in) {
    __shared__ float tile[128];
    int x = threadIdx.x;
    tile[x] = in[x];
    out[x] = tile[127 - x];
}
