// All threads write their own value to one place.
// launch: grid 1 block 32
// arg: int out[1]
// finds: race
extern "C" __global__ void last(int* out) {
    __shared__ int who;
    who = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        *out = who;
    }
}
