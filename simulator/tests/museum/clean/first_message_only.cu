// A writer that signals before it begins and when it is done; who reads waits for the end, so the data are read once they are whole.
// launch: grid 3 block 32
// arg: int data[32] = zeros
// arg: int state[1] = zeros
// arg: int out[96] = zeros
extern "C" __global__ void publish(int* data, volatile int* state, int* out) {
    int x = threadIdx.x;
    if (blockIdx.x == 0) {
        if (x == 0) {
            *state = 1;
        }
        __threadfence();
        data[x] = 3 * x;
        __threadfence();
        __syncthreads();
        if (x == 0) {
            *state = 2;
        }
        return;
    }
    while (*state != 2) {
    }
    __threadfence();
    out[32 * blockIdx.x + x] = data[x];
}
