// Each tile of 1024 keys is split by a digit of 4 bits as in `sort_counters`; here the lanes of a warp find each other, and a warp has 16 counters.
//
// Warp w of block b owns the 128 keys from 1024·b + 128·w on, in four rounds of 32. In a round, the lanes whose keys have the same digit are peers: a
// ballot for each bit of the digit tells which lanes have the same bit. The rank of a key among its warp's of that digit is the number of them in
// earlier rounds, which the counter has, and of the peers below its lane.
//
// Launch: grid ⌈n/1024⌉, block (256).
// Napkin: 128 counters for 1024 keys, where `sort_counters` has 4096. A round takes 5 ballots.

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
    // TASK: Zero the counters [8 warps][17 numbers]; number 16 is for lanes that have no key. In each of the four rounds take a key, its digit, its
    // peers, and from them and the counter its rank; one of the peers adds their number to the counter, once all of them have read it. After a barrier let
    // warp 0 call make_places(counts). After another one a key's place is its counter plus its rank: through an array in shared memory to `out`.
    // BEGIN SOLUTION
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
        const unsigned peers = peers_of(digits[round]);
        const unsigned below = __popc(peers & ((1u << lane) - 1));
        const unsigned earlier = counts[warp][digits[round]];
        __syncwarp();  // all peers have read the counter
        if (below == 0) {
            counts[warp][digits[round]] = earlier + __popc(peers);
        }
        __syncwarp();  // the counters have the round
        ranks[round] = earlier + below;
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
    // END SOLUTION
}
