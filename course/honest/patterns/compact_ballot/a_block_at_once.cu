// One addition for the whole block: the warps meet in shared memory.

extern "C" __global__ void compact_ballot_f32(float* out, const float* in, int n) {
    __shared__ unsigned of_warp[8];
    __shared__ unsigned first;
    unsigned* kept = reinterpret_cast<unsigned*>(out + n);
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const float x = i < n ? in[i] : 0;
    const unsigned keep = __ballot_sync(0xffffffff, x > 0);
    if (lane == 0) {
        of_warp[warp] = __popc(keep);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (int other = 0; other < 8; other++) {
            sum += of_warp[other];
        }
        first = sum > 0 ? atomicAdd(kept, sum) : 0;
    }
    __syncthreads();
    unsigned place = first + __popc(keep & ((1u << lane) - 1));
    for (int other = 0; other < warp; other++) {
        place += of_warp[other];
    }
    if (x > 0) {
        out[place] = x;
    }
}
