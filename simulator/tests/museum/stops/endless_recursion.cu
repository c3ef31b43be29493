// A recursion without an end.
// launch: grid 1 block 32
// arg: int out[32] = zeros
// arg: int limit = -1
// finds: stack
__device__ __noinline__ int down(int* out, int depth, int limit) {
    if (depth == limit) {
        return 0;
    }
    int below = down(out, depth + 1, limit);
    out[threadIdx.x] = below;
    return below * 3 ^ depth;
}
extern "C" __global__ void recurse(int* out, int limit) {
    out[threadIdx.x] = down(out, 0, limit);
}
