// A lane overwrites its volatile word once its neighbour has told that it has read it: nobody takes the lanes to go in step.
// requires: sm_70
// launch: grid 1 block 32
// arg: int out[32]
extern "C" __global__ void answer(int* out) {
    __shared__ volatile int said[32];
    __shared__ volatile int heard[32];
    int x = threadIdx.x;
    said[x] = x + 1;
    heard[x] = 0;
    __syncwarp();
    int other = said[x ^ 1];
    heard[x] = 1;
    while (heard[x ^ 1] == 0) {
    }
    said[x] = -other;
    out[x] = other;
}
