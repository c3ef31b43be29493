// Lane 0 reads its neighbour's volatile word, which the neighbour overwrites in the next turn: nothing makes it wait for the reader.
// launch: grid 1 block 32
// arg: float out[4]
// arg: float in[128] = iota
// finds: race
extern "C" __global__ void pairs(float* out, const float* in) {
    __shared__ volatile float part[32];
    int x = threadIdx.x;
    for (int turn = 0; turn < 4; turn++) {
        part[x] = in[32 * turn + x];
        __syncwarp();
        if (x == 0) {
            out[turn] = part[0] + part[1];
        }
    }
}
