// Both arms of a branch synchronise the warp, but one of them writes after that what the other reads.
// requires: sm_70
// launch: grid 1 block 32
// arg: int out[32] = zeros
// finds: race
extern "C" __global__ void meet(int* out) {
    __shared__ int data[32];
    int x = threadIdx.x;
    data[x] = 0;
    if (x % 2) {
        __syncwarp(~0u);
        data[x] = 3 * x;
    } else {
        __syncwarp(~0u);
        out[x] = data[x ^ 1];
    }
}
