// due: 3 of 5
// One lane of a warp stores what the others hand it.

extern "C" __global__ void compact_ballot_f32(float* out, const float* in, int n) {
    unsigned* kept = reinterpret_cast<unsigned*>(out + n);
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const float x = i < n ? in[i] : 0;
    const unsigned keep = __ballot_sync(0xffffffff, x > 0);
    unsigned first = 0;
    if (lane == 0 && keep != 0) {
        first = atomicAdd(kept, __popc(keep));
    }
    first = __shfl_sync(0xffffffff, first, 0);
    for (int other = 0; other < 32; other++) {
        const float its = __shfl_sync(0xffffffff, x, other);
        if (lane == 0 && its > 0) {
            out[first++] = its;
        }
    }
}
