// Half of the warp synchronises; the other half reads what that half wrote.
// launch: grid 1 block 32
// arg: int out[32] = zeros
// finds: race
extern "C" __global__ void pass(int* out) {
    __shared__ int part[32];
    int x = threadIdx.x;
    part[x] = x;
    if (x < 16) {
        __syncwarp(0x0000ffff);
    }
    out[x] = part[x ^ 16];
}
