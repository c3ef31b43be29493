// A structure goes to a function by value, and comes back.
// launch: grid 1 block 32
// arg: float out[32]
struct Pair {
    float first;
    double second;
    int rest[3];
};
__device__ __noinline__ Pair swap(Pair pair, int by) {
    Pair other = pair;
    other.first = (float)pair.second + pair.rest[by % 3];
    other.second = pair.first;
    return other;
}
extern "C" __global__ void pairs(float* out) {
    int x = threadIdx.x;
    Pair pair = {1.0f * x, 2.0 * x, {x, x + 1, x + 2}};
    Pair other = swap(pair, x);
    out[x] = other.first + (float)other.second + other.rest[(x + 1) % 3];
}
