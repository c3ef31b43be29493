// A block writes, meets at a barrier, and reads with plain loads, beside read-only loads of what nobody writes.
// launch: grid 1 block 64
// arg: int out[64] = zeros
// arg: int data[64] = zeros
// arg: int in[64] = iota
extern "C" __global__ void exchange(int* out, int* data, const int* in) {
    int x = threadIdx.x;
    data[x] = __ldg(&in[x]);
    __syncthreads();
    out[x] = data[x ^ 33] + __ldg(&in[63 - x]);
}
