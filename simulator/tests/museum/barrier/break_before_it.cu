// A thread that has found what it looked for leaves the loop in front of the barrier.
// launch: grid 1 block 64
// arg: int out[64]
// arg: int in[64] = iota
// finds: barrier
extern "C" __global__ void search(int* out, const int* in) {
    __shared__ int data[64];
    int x = threadIdx.x;
    int found = -1;
    for (int round = 0; round < 4; ++round) {
        data[x] = in[(x + round) % 64];
        if (data[x] == 40) {
            found = round;
            break;
        }
        __syncthreads();
    }
    out[x] = found;
}
