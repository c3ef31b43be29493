// The product overflows 32 bits and becomes negative.
// launch: grid 1 block 32
// arg: float out[64] = zeros
// arg: int pitch = 100000000
// finds: out of bounds
extern "C" __global__ void fill(float* out, int pitch) {
    int row = threadIdx.x == 31 ? 22 : 0;
    out[row * pitch + threadIdx.x] = 1;
}
