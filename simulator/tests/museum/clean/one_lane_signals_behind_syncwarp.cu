// The same with __syncwarp(): lane 0's fence speaks for what it knows of.
// launch: grid 2 block 32
// arg: int data[32] = zeros
// arg: int flag[1] = zeros
// arg: int out[32] = zeros
extern "C" __global__ void send(int* data, volatile int* flag, int* out) {
    int x = threadIdx.x;
    if (blockIdx.x == 0) {
        data[x] = x;
        __syncwarp();
        if (x == 0) {
            __threadfence();
            *flag = 1;
        }
        __syncwarp();
    } else {
        if (x == 0) {
            while (*flag == 0) {
            }
            __threadfence();
        }
        __syncwarp();
        out[x] = data[x];
    }
}
