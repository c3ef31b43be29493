// The value goes through a function that is not inlined before it decides.
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[32]
// finds: uninitialised
__device__ __noinline__ int twice(int x) {
    return x * 2 + 1;
}
extern "C" __global__ void decide(int* out, const int* in) {
    if (twice(in[threadIdx.x]) > 10) {
        out[threadIdx.x] = 1;
    } else {
        out[threadIdx.x] = 2;
    }
}
