// out = the elements above 0 in their order, and after the room for all n the number of them, in one pass: the scan of `scan_lookback`, of counts.
//
// A block takes the next tile of 8192 elements by scratch[0]. Its threads own, of each of the tile's four parts of 2048 elements, the four from 4·t on. The
// kept ones meet in shared memory in their order, and leave it side by side. The state of tile k is scratch[1 + k]: in the lower 30 bits a count, above
// them 1 if it is the tile's own, 2 if it is that of all tiles up to it; 0 as long as there is none.
//
// Launch: grid ⌈n/8192⌉, block (512); scratch is zero before the launch; in aligned to 16 bytes; n below 2³⁰.
// Napkin: 4·n bytes in, 2·n out, 4 bytes of state for 32 KiB. A warp's four counts, 128 at most each, are the four bytes of one word: a scan for all four.

__device__ float4 load(const float* in, int i, int n) {
    if (i <= n - 4) {
        return __ldcs(reinterpret_cast<const float4*>(in + i));
    }
    return make_float4(i < n ? in[i] : 0, i + 1 < n ? in[i + 1] : 0, i + 2 < n ? in[i + 2] : 0, 0);
}

// The sum of this lane's value and of those of the lanes below it.
__device__ unsigned through_lane(unsigned value) {
    for (int distance = 1; distance < 32; distance *= 2) {
        const unsigned left = __shfl_up_sync(0xffffffff, value, distance);
        if (threadIdx.x % 32 >= distance) {
            value += left;
        }
    }
    return value;
}

const unsigned OWN = 1u << 30;
const unsigned ALL = 2u << 30;
const unsigned COUNT = OWN - 1;

// By all lanes of one warp: the count of all tiles before this one, whose own count is `own`. Each lane looks at one tile, the first at the nearest.
__device__ unsigned count_before(volatile unsigned* states, int tile, unsigned own) {
    const int lane = threadIdx.x % 32;
    if (lane == 0) {
        states[tile] = (tile == 0 ? ALL : OWN) | own;
    }
    unsigned count = 0;
    for (int nearest = tile - 1; nearest >= 0; nearest -= 32) {
        unsigned state = ALL;  // before the first tile: all counts are 0
        if (lane <= nearest) {
            do {
                state = states[nearest - lane];
            } while (state == 0);
        }
        const unsigned complete = __ballot_sync(0xffffffff, state >= ALL);
        const int last = complete == 0 ? 31 : __ffs(complete) - 1;  // the lanes beyond it are counted in its count
        unsigned part = lane <= last ? state & COUNT : 0;
        for (int distance = 16; distance > 0; distance /= 2) {
            part += __shfl_xor_sync(0xffffffff, part, distance);
        }
        count += part;
        if (complete != 0) {
            break;
        }
    }
    if (lane == 0 && tile > 0) {
        states[tile] = ALL | (count + own);
    }
    return count;
}

// Four blocks on a multiprocessor: their loads are on their way while one of them looks back. Nothing is read twice, so nothing stays in the caches.
extern "C" __global__ void __launch_bounds__(512, 4) compact_ordered_f32(float* out, const float* in, unsigned* scratch, int n) {
    __shared__ int taken;
    __shared__ float kept[8192];
    __shared__ unsigned before_warp[64];
    __shared__ unsigned before_tile, of_tile;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        taken = atomicAdd(scratch, 1);
    }
    __syncthreads();  // the tile is known
    const int tile = taken;
    const int first = tile * 8192 + 4 * threadIdx.x;
    float4 own[4];
#pragma unroll
    for (int part = 0; part < 4; part++) {
        own[part] = load(in, first + 2048 * part, n);
    }
    unsigned counts = 0;
#pragma unroll
    for (int part = 0; part < 4; part++) {
        const float4 x = own[part];
        counts |= ((x.x > 0) + (x.y > 0) + (x.z > 0) + (x.w > 0)) << (8 * part);
    }
    const unsigned through = through_lane(counts);
    if (lane == 31) {
        for (int part = 0; part < 4; part++) {
            before_warp[16 * part + warp] = through >> (8 * part) & 0xff;
        }
    }
    __syncthreads();  // the counts of 16 warps in 4 parts are there
    if (warp == 0) {
        const unsigned of_first = before_warp[2 * lane];
        const unsigned of_both = of_first + before_warp[2 * lane + 1];
        const unsigned up_to = through_lane(of_both);
        const unsigned all = __shfl_sync(0xffffffff, up_to, 31);
        const unsigned of_tiles = count_before(scratch + 1, tile, all);
        before_warp[2 * lane] = up_to - of_both;
        before_warp[2 * lane + 1] = up_to - of_both + of_first;
        if (lane == 0) {
            before_tile = of_tiles;
            of_tile = all;
        }
    }
    __syncthreads();  // what lies before each warp is there
    const unsigned before = through - counts;
#pragma unroll
    for (int part = 0; part < 4; part++) {
        unsigned place = before_warp[16 * part + warp] + (before >> (8 * part) & 0xff);
        const float each[4] = {own[part].x, own[part].y, own[part].z, own[part].w};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (each[k] > 0) {
                kept[place++] = each[k];
            }
        }
    }
    __syncthreads();  // the kept ones stand in their order
    for (unsigned place = threadIdx.x; place < of_tile; place += 512) {
        __stcs(out + before_tile + place, kept[place]);
    }
    if (tile == gridDim.x - 1 && threadIdx.x == 0) {
        reinterpret_cast<unsigned*>(out)[n] = before_tile + of_tile;
    }
}
