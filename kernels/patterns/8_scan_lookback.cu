// out = the prefix sums of all n elements in one pass: each tile looks back at the sums of the tiles before it, as far as it has to.
//
// A block takes the next tile of 4096 elements by scratch[0], so that all tiles before it are taken already and its wait ends. Its threads own, of each
// of the tile's four parts of 1024 elements, the four from 4·t on. The state of tile k is a word of 8 bytes from scratch[2 + 2·k] on: in the upper half a
// sum, in the lower half 1 if it is the tile's own, 2 if it is that of all elements up to the tile's end; 0 as long as there is none. Sum and kind are
// one word, so they come together and nothing else has to be ordered.
//
// Launch: grid ⌈n/4096⌉, block (256); scratch is zero before the launch; in and out aligned to 16 bytes.
// Napkin: 8·n bytes, and 8 bytes of state for 16 KiB of elements. A scan of tiles, of their sums, and a third pass move 16·n.

__device__ float4 load(const float* in, int i, int n) {
    if (i <= n - 4) {
        return *reinterpret_cast<const float4*>(in + i);
    }
    return make_float4(i < n ? in[i] : 0, i + 1 < n ? in[i + 1] : 0, i + 2 < n ? in[i + 2] : 0, 0);
}

__device__ void store(float* out, int i, int n, float4 values) {
    if (i <= n - 4) {
        *reinterpret_cast<float4*>(out + i) = values;
        return;
    }
    const float each[3] = {values.x, values.y, values.z};
    for (int k = 0; k < 3 && i + k < n; k++) {
        out[i + k] = each[k];
    }
}

// The sum of this lane's value and of those of the lanes below it.
__device__ float through_lane(float value) {
    for (int distance = 1; distance < 32; distance *= 2) {
        const float left = __shfl_up_sync(0xffffffff, value, distance);
        if (threadIdx.x % 32 >= distance) {
            value += left;
        }
    }
    return value;
}

__device__ unsigned long long state_of(float sum, unsigned kind) {
    return (unsigned long long)__float_as_uint(sum) << 32 | kind;
}

// By all lanes of one warp: the sum of all tiles before this one, whose own sum is `own`. Each lane looks at one tile, the first at the nearest.
__device__ float sum_before(volatile unsigned long long* states, int tile, float own) {
    const int lane = threadIdx.x % 32;
    if (lane == 0) {
        states[tile] = state_of(own, tile == 0 ? 2 : 1);
    }
    float sum = 0;
    for (int nearest = tile - 1; nearest >= 0; nearest -= 32) {
        unsigned long long state = 2;  // before the first tile: all sums are 0
        if (lane <= nearest) {
            do {
                state = states[nearest - lane];
            } while (unsigned(state) == 0);
        }
        const unsigned complete = __ballot_sync(0xffffffff, unsigned(state) == 2);
        const int last = complete == 0 ? 31 : __ffs(complete) - 1;  // the lanes beyond it are counted in its sum
        float part = lane <= last ? __uint_as_float(state >> 32) : 0;
        for (int distance = 16; distance > 0; distance /= 2) {
            part += __shfl_xor_sync(0xffffffff, part, distance);
        }
        sum += part;
        if (complete != 0) {
            break;
        }
    }
    if (lane == 0 && tile > 0) {
        states[tile] = state_of(sum + own, 2);
    }
    return sum;
}

extern "C" __global__ void scan_lookback_f32(float* out, const float* in, unsigned* scratch, int n) {
    __shared__ int taken;
    __shared__ float before_warp[32];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        taken = atomicAdd(scratch, 1);
    }
    __syncthreads();  // the tile is known
    const int tile = taken;
    const int first = tile * 4096 + 4 * threadIdx.x;
    float4 sums[4];
    float through[4];
#pragma unroll
    for (int part = 0; part < 4; part++) {
        sums[part] = load(in, first + 1024 * part, n);
    }
#pragma unroll
    for (int part = 0; part < 4; part++) {
        sums[part].y += sums[part].x;
        sums[part].z += sums[part].y;
        sums[part].w += sums[part].z;
        through[part] = through_lane(sums[part].w);
        if (lane == 31) {
            before_warp[8 * part + warp] = through[part];
        }
    }
    __syncthreads();  // the sums of 8 warps in 4 parts are there
    if (warp == 0) {
        // In the order of the elements they are 32: one for each lane.
        const float up_to = through_lane(before_warp[lane]);
        const float own = __shfl_sync(0xffffffff, up_to, 31);
        const float before = __shfl_up_sync(0xffffffff, up_to, 1);
        const float of_tiles = sum_before(reinterpret_cast<unsigned long long*>(scratch + 2), tile, own);
        before_warp[lane] = of_tiles + (lane == 0 ? 0 : before);
    }
    __syncthreads();  // what lies before each warp is there
#pragma unroll
    for (int part = 0; part < 4; part++) {
        const float of_lanes = __shfl_up_sync(0xffffffff, through[part], 1);
        const float before = before_warp[8 * part + warp] + (lane == 0 ? 0 : of_lanes);
        const float4 own = sums[part];
        store(out, first + 1024 * part, n, make_float4(before + own.x, before + own.y, before + own.z, before + own.w));
    }
}
