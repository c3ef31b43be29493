// Compare and assign is not atomic: a smaller value can come last.
// launch: grid 1 block 64
// arg: int out[1]
// arg: int in[64] = iota
// finds: race
extern "C" __global__ void maximum(int* out, const int* in) {
    __shared__ int best;
    if (threadIdx.x == 0) {
        best = -1;
    }
    __syncthreads();
    if (in[threadIdx.x] > best) {
        best = in[threadIdx.x];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        *out = best;
    }
}
