// A message to another block behind a fence that orders it for the sender's own block only.
// launch: grid 2 block 1
// arg: int data[1] = zeros
// arg: int flag[1] = zeros
// arg: int out[1] = zeros
// finds: race
extern "C" __global__ void send(int* data, volatile int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence_block();
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        __threadfence();
        *out = *data;
    }
}
