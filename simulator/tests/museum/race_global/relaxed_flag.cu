// A flag that is set and read atomically, and releases nothing.
// launch: grid 2 block 1
// arg: int data[1] = zeros
// arg: int flag[1] = zeros
// arg: int out[1] = zeros
// finds: race
extern "C" __global__ void send(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence();
        *out = *data;
    }
}
