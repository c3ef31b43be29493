// due: 3 of 5
// The lanes of a warp take their places one after the other.

__device__ int digit_of(float key) {
    return __float_as_uint(key) >> 8 & 15;
}

// The lanes that have the same number, of 0 … 16.
__device__ unsigned peers_of(int number) {
    unsigned peers = 0xffffffff;
#pragma unroll
    for (int bit = 0; bit < 5; bit++) {
        const bool is_set = number >> bit & 1;
        const unsigned set = __ballot_sync(0xffffffff, is_set);
        peers &= is_set ? set : ~set;
    }
    return peers;
}

// By one warp: the counters become their prefix sums, digit after digit and warp after warp within it; four neighbours for each lane.
__device__ void make_places(unsigned (&counts)[8][17]) {
    const int lane = threadIdx.x % 32;
    unsigned before[4], sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        before[k] = sum;
        sum += counts[(4 * lane + k) % 8][(4 * lane + k) / 8];
    }
    unsigned through = sum;
    for (int distance = 1; distance < 32; distance *= 2) {
        const unsigned left = __shfl_up_sync(0xffffffff, through, distance);
        if (lane >= distance) {
            through += left;
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        counts[(4 * lane + k) % 8][(4 * lane + k) / 8] = through - sum + before[k];
    }
}

extern "C" __global__ void sort_ranks_f32(float* out, const float* in, int n) {
    __shared__ unsigned counts[8][17];
    __shared__ float sorted[1024];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int begin = blockIdx.x * 1024;
    const int count = min(1024, n - begin);
    float keys[4];
    int digits[4];
    unsigned ranks[4];
    if (lane < 17) {
        counts[warp][lane] = 0;
    }
    __syncwarp();  // the counters are zero
#pragma unroll
    for (int round = 0; round < 4; round++) {
        const int i = 128 * warp + 32 * round + lane;
        keys[round] = i < count ? in[begin + i] : 0;
        digits[round] = i < count ? digit_of(keys[round]) : 16;
        for (int turn = 0; turn < 32; turn++) {
            if (lane == turn) {
                ranks[round] = counts[warp][digits[round]]++;
            }
            __syncwarp();
        }
    }
    __syncthreads();  // all is counted
    if (warp == 0) {
        make_places(counts);
    }
    __syncthreads();  // the counters are places
#pragma unroll
    for (int round = 0; round < 4; round++) {
        if (digits[round] < 16) {
            sorted[counts[warp][digits[round]] + ranks[round]] = keys[round];
        }
    }
    __syncthreads();  // the keys stand in their places
    for (int i = threadIdx.x; i < count; i += 256) {
        out[begin + i] = sorted[i];
    }
}
