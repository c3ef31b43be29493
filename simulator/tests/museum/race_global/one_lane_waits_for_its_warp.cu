// Lane 0 waits for the flag; nothing makes its neighbours wait for lane 0.
// launch: grid 2 block 32
// arg: int data[32] = zeros
// arg: int flag[1] = zeros
// arg: int out[32] = zeros
// finds: race
extern "C" __global__ void send(int* data, volatile int* flag, int* out) {
    int x = threadIdx.x;
    if (blockIdx.x == 0) {
        data[x] = x;
        __threadfence();
        __syncthreads();
        if (x == 0) {
            *flag = 1;
        }
    } else {
        if (x == 0) {
            while (*flag == 0) {
            }
            __threadfence();
        }
        out[x] = data[x];
    }
}
