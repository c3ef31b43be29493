// Blocks write neighbouring bytes of one word.
// launch: grid 4 block 1
// arg: int out[1] = zeros
extern "C" __global__ void bytes(char* out) {
    out[blockIdx.x] = blockIdx.x;
}
