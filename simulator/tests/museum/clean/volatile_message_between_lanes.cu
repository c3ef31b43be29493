// Lanes of a warp tell their neighbours something by volatile stores and loads, and wait for it: nobody takes them to go in step.
// requires: sm_70
// launch: grid 1 block 32
// arg: int out[32]
extern "C" __global__ void tell(int* out) {
    __shared__ volatile int said[32];
    int x = threadIdx.x;
    said[x] = 0;
    __syncwarp();
    said[x] = x + 1;
    while (said[x ^ 1] == 0) {
    }
    out[x] = said[x ^ 1];
}
