// The sender fences, the reader does not: it may have read the data before the flag.
// launch: grid 2 block 1
// arg: int data[1] = zeros
// arg: int flag[1] = zeros
// arg: int out[1] = zeros
// finds: race
extern "C" __global__ void send(int* data, volatile int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        *out = *data;
    }
}
