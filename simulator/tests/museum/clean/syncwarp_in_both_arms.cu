// Both arms of a branch have a __syncwarp() of the whole warp: from compute capability 7.0 on lanes meet wherever they call it.
// requires: sm_70
// launch: grid 1 block 64
// arg: int out[64] = zeros
extern "C" __global__ void meet(int* out) {
    __shared__ int data[64];
    int x = threadIdx.x;
    if (x % 2) {
        data[x] = 3 * x;
        __syncwarp(~0u);
    } else {
        data[x] = 5 * x;
        __syncwarp(~0u);
    }
    out[x] = data[x ^ 1];
}
