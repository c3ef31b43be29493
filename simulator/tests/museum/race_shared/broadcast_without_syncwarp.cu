// Lane 0 writes, the other lanes of its warp read at once.
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[32] = iota
// finds: race
extern "C" __global__ void broadcast(int* out, const int* in) {
    __shared__ int value;
    if (threadIdx.x == 0) {
        value = in[5] * 3;
    }
    out[threadIdx.x] = value + in[threadIdx.x];
}
