// One thread sets what all read, with no barrier between.
// launch: grid 1 block 96
// arg: int out[96]
// arg: int in[1] = iota
// finds: race
extern "C" __global__ void decide(int* out, const int* in) {
    __shared__ int chosen;
    if (threadIdx.x == 0) {
        chosen = in[0] + 7;
    }
    out[threadIdx.x] = chosen;
}
