// A vote between the write and the read of another lane's word, and a __syncwarp(), which orders the two.
// requires: sm_70
// launch: grid 1 block 32
// arg: int out[32] = zeros
// arg: int in[32] = iota
extern "C" __global__ void turn(int* out, const int* in) {
    __shared__ int data[32];
    int x = threadIdx.x;
    data[x] = in[x];
    if (__any_sync(~0u, in[x] > 40)) {
        return;
    }
    __syncwarp();
    out[x] = data[x ^ 1];
}
