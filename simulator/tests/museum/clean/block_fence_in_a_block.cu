// A message between warps of one block, by a flag in global memory: the fence of the block reaches far enough.
// launch: grid 1 block 64
// arg: int data[1] = zeros
// arg: int flag[1] = zeros
// arg: int out[1] = zeros
extern "C" __global__ void send(int* data, volatile int* flag, int* out) {
    if (threadIdx.x == 0) {
        *data = 42;
        __threadfence_block();
        *flag = 1;
    } else if (threadIdx.x == 32) {
        while (*flag == 0) {
        }
        __threadfence_block();
        *out = *data;
    }
}
