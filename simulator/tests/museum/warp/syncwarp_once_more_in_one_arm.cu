// Both arms of a branch synchronise the warp, but one of them once more than the other: there nobody comes.
// requires: sm_70
// launch: grid 1 block 32
// arg: int out[32] = zeros
// finds: wrong mask
extern "C" __global__ void meet(int* out) {
    __shared__ int data[32];
    int x = threadIdx.x;
    if (x % 2) {
        data[x] = 3 * x;
        __syncwarp(~0u);
        data[x] += 1;
        __syncwarp(~0u);
    } else {
        data[x] = 5 * x;
        __syncwarp(~0u);
        data[x] += 2;
    }
    out[x] = data[x];
}
