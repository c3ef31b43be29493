// Each warp works in a part of shared memory of its own.
// launch: grid 1 block 128
// arg: int out[128]
// arg: int in[128] = iota
extern "C" __global__ void rotate(int* out, const int* in) {
    __shared__ int data[4][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    data[warp][lane] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = data[warp][(lane + 1) % 32];
}
