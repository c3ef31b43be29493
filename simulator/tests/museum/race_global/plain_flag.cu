// A flag that is not atomic announces data that may not be there.
// launch: grid 2 block 32
// arg: int data[32] = zeros
// arg: int flag[1] = zeros
// arg: int out[32]
// finds: race
extern "C" __global__ void announce(int* data, int* flag, int* out) {
    int x = threadIdx.x;
    if (blockIdx.x == 0) {
        data[x] = x * x;
        __syncthreads();
        if (x == 0) {
            *flag = 1;
        }
    } else {
        out[x] = *flag ? data[x] : -1;
    }
}
