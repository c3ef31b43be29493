// Data, a fence, a volatile flag; the reader waits for the flag, fences, reads.
// launch: grid 2 block 32
// arg: int data[32] = zeros
// arg: int flag[1] = zeros
// arg: int out[32]
extern "C" __global__ void send(int* data, volatile int* flag, int* out) {
    int x = threadIdx.x;
    if (blockIdx.x == 0) {
        data[x] = x * x;
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
        __syncthreads();
        out[x] = data[x];
    }
}
