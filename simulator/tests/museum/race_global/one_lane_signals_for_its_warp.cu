// Lane 0 fences and signals, but what the other lanes wrote was never ordered before that.
// launch: grid 2 block 32
// arg: int data[32] = zeros
// arg: int flag[1] = zeros
// arg: int out[32] = zeros
// finds: race
extern "C" __global__ void send(int* data, volatile int* flag, int* out) {
    int x = threadIdx.x;
    if (blockIdx.x == 0) {
        data[x] = x;
        if (x == 0) {
            __threadfence();
            *flag = 1;
        }
    } else {
        while (*flag == 0) {
        }
        __threadfence();
        out[x] = data[x];
    }
}
