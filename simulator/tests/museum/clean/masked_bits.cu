// Of words of which one byte was written, only that byte decides.
// launch: grid 1 block 32
// arg: int out[64]
// arg: int in[32] = iota
extern "C" __global__ void bytes(int* out, const int* in) {
    __shared__ unsigned char data[128];
    int x = threadIdx.x;
    data[4 * x + 1] = (unsigned char)in[x];
    __syncwarp();
    unsigned word = reinterpret_cast<unsigned*>(data)[x];
    if ((word >> 8 & 0xff) > 20) {
        out[x] = 1;
    } else {
        out[x] = 2;
    }
    unsigned moved = __byte_perm(word, 0, 0x4441);
    out[32 + x] = in[moved & 31] + (int)(word << 16 >> 24);
}
