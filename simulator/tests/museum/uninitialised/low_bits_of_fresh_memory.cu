// Only bits that were written count, but for one.
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[32] = iota
// finds: uninitialised
extern "C" __global__ void bits(int* out, const int* in) {
    __shared__ unsigned char data[128];
    data[4 * threadIdx.x] = (unsigned char)in[threadIdx.x];
    __syncwarp();
    unsigned word = reinterpret_cast<unsigned*>(data)[threadIdx.x];
    if ((word & 0x1ff) > 200) {
        out[threadIdx.x] = 1;
    } else {
        out[threadIdx.x] = 0;
    }
}
