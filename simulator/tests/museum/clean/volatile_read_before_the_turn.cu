// Lane 0 reads its neighbour's volatile word, and the warp meets before the neighbour overwrites it.
// launch: grid 1 block 32
// arg: float out[4]
// arg: float in[128] = iota
extern "C" __global__ void pairs(float* out, const float* in) {
    __shared__ volatile float part[32];
    int x = threadIdx.x;
    for (int turn = 0; turn < 4; turn++) {
        part[x] = in[32 * turn + x];
        __syncwarp();
        if (x == 0) {
            out[turn] = part[0] + part[1];
        }
        __syncwarp();
    }
}
