// All n keys are split by a digit of 8 bits, in one pass: a whole step of a radix sort. Keys are ranked in their tile, sorted there, and scattered in runs.
//
// A key is a float's bits, its digit the bits 8 … 15. Where the keys of each digit begin in `out` is known before: a sort counts the digits of all its steps
// in one `histogram`. scratch[1 + d] has it for digit d. A block takes the next tile of 4096 keys by scratch[0], which is zero before the launch. Warp w
// owns 512 neighbours of the tile, in 16 rounds of 32, and ranks them as in `sort_ranks`; here the lanes with the same digit find each other by setting
// their bits in one word, an instruction where ballots take eight. Thread d then looks back for digit d: scratch[257 + 256·k + d]
// has, in its lower 30 bits, how many keys of the digit are in tile k (above them 1), or in all tiles up to it (2); zero as long as there is none.
//
// Launch: grid ⌈n/4096⌉, block (256); n below 2³⁰.
// Napkin: 8·n bytes and 1 KiB of states for 16 KiB of keys. Scattered one by one, 32 keys touch 32 sectors; sorted first, a digit's 16 keys are one run.

__device__ int digit_of(float key) {
    return __float_as_uint(key) >> 8 & 255;
}

const unsigned OWN = 1u << 30;
const unsigned ALL = 2u << 30;
const unsigned COUNT = OWN - 1;

extern "C" __global__ void sort_onesweep_f32(float* out, const float* in, unsigned* scratch, int n) {
    __shared__ int taken;
    __shared__ unsigned counts[8][256];
    __shared__ unsigned peers_of[8][256];
    __shared__ float sorted[4096];
    __shared__ unsigned of_warp[8];
    __shared__ unsigned shift[256];  // from a key's place in the tile to its place in `out`
    const int t = threadIdx.x;
    const int lane = t % 32;
    const int warp = t / 32;
    if (t == 0) {
        taken = atomicAdd(scratch, 1);
    }
    for (int other = 0; other < 8; other++) {
        counts[other][t] = 0;
        peers_of[other][t] = 0;
    }
    __syncthreads();  // the tile is known, the counters are zero
    const int tile = taken;
    const int count = min(4096, n - 4096 * tile);
    float keys[16];
    unsigned ranks[16];
#pragma unroll
    for (int round = 0; round < 16; round++) {
        const int i = 512 * warp + 32 * round + lane;
        // Where there is no key, one stands that comes after all others.
        keys[round] = i < count ? in[4096 * tile + i] : __uint_as_float(0xffffffff);
    }
#pragma unroll
    for (int round = 0; round < 16; round++) {
        const int digit = digit_of(keys[round]);
        atomicOr(&peers_of[warp][digit], 1u << lane);
        __syncwarp();  // all peers are there
        const unsigned peers = peers_of[warp][digit];
        const unsigned below = __popc(peers & ((1u << lane) - 1));
        const unsigned earlier = counts[warp][digit];
        __syncwarp();  // all peers have read both words
        if (below == 0) {
            counts[warp][digit] = earlier + __popc(peers);
            peers_of[warp][digit] = 0;
        }
        __syncwarp();  // the counters have the round
        ranks[round] = earlier + below;
    }
    __syncthreads();  // all is counted
    // From here on thread t is at digit t.
    unsigned of_digit = 0;
#pragma unroll
    for (int other = 0; other < 8; other++) {
        const unsigned counted = counts[other][t];
        counts[other][t] = of_digit;
        of_digit += counted;
    }
    volatile unsigned* states = scratch + 257;
    states[256 * tile + t] = (tile == 0 ? ALL : OWN) | of_digit;
    unsigned through = of_digit;
    for (int distance = 1; distance < 32; distance *= 2) {
        const unsigned left = __shfl_up_sync(0xffffffff, through, distance);
        if (lane >= distance) {
            through += left;
        }
    }
    if (lane == 31) {
        of_warp[warp] = through;
    }
    __syncthreads();  // the sums of all warps are there
    unsigned begin = through - of_digit;
    for (int other = 0; other < warp; other++) {
        begin += of_warp[other];
    }
#pragma unroll
    for (int other = 0; other < 8; other++) {
        counts[other][t] += begin;
    }
    unsigned before = 0;
    for (int other = tile - 1; other >= 0; other--) {
        unsigned state;
        do {
            state = states[256 * other + t];
        } while (state == 0);
        before += state & COUNT;
        if (state >= ALL) {
            break;
        }
    }
    if (tile > 0) {
        states[256 * tile + t] = ALL | (before + of_digit);
    }
    shift[t] = scratch[1 + t] + before - begin;
    __syncthreads();  // the counters are places
#pragma unroll
    for (int round = 0; round < 16; round++) {
        sorted[counts[warp][digit_of(keys[round])] + ranks[round]] = keys[round];
    }
    __syncthreads();  // the keys stand in their places
    for (int i = t; i < count; i += 256) {
        out[shift[digit_of(sorted[i])] + i] = sorted[i];
    }
}
