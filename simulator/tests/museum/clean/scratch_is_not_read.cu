// Padded to whole warps: what lies behind the data is computed with, and never leaves its place.
// launch: grid 1 block 64
// arg: int out[64]
// arg: int in[40] = iota
// arg: int n = 40
extern "C" __global__ void shift(int* out, const int* in, int n) {
    __shared__ int a[64];
    __shared__ int b[64];
    int x = threadIdx.x;
    if (x < n) {
        a[x] = in[x];
    }
    __syncthreads();
    b[x] = a[x] * 3 + 1;
    __syncthreads();
    int value = b[63 - x];
    if (63 - x < n) {
        out[x] = value;
    }
}
