// A block writes, meets at a barrier, and reads through the read-only cache, which need not hear of what the launch wrote.
// launch: grid 1 block 64
// arg: int out[64] = zeros
// arg: int data[64] = zeros
// finds: stale load
extern "C" __global__ void exchange(int* out, int* data) {
    int x = threadIdx.x;
    data[x] = x;
    __syncthreads();
    out[x] = __ldg(&data[x ^ 33]);
}
