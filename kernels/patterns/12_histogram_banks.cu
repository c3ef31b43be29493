// out[b] = how many of n elements lie in bin b of 256, with counters of its own for each lane, all in the lane's bank.
//
// The block's counter of bin b for lane l lies at 32·b + l, in bank l: the lanes of a warp never meet, neither in a counter nor in a bank. The grid's
// threads take chunks of 4 elements as in `histogram_copies`. At the end thread t of the first 256 adds up the 32 counters of bin t, from that of lane
// t % 32 on: so the lanes of its warp read 32 banks here, too.
//
// Launch: grid min(⌈n/16384⌉, 264), block (1024): two blocks for each of the 132 multiprocessors of an H100. out is zero before the launch.
// Napkin: 32 KiB of counters for 1024 threads. Each addition of a warp takes the fewest wavefronts that there are, whatever the elements.

__device__ int bin_of(float x) {
    return min(int(x * x * 256), 255);
}

extern "C" __global__ void histogram_banks_f32(float* out, const float* in, int n) {
    // TASK: Counters [bin][lane] in shared memory, zero at first; count in those of the own lane, from float4s, four of them loaded at a time while there
    // are four. At the end thread t < 256 adds up the counters of bin t, from the one in its own bank on, and adds the sum to out[t].
    // BEGIN SOLUTION
    __shared__ unsigned counts[256][32];
    const float4* chunks = reinterpret_cast<const float4*>(in);
    const int lane = threadIdx.x % 32;
    const int count = n / 4;
    const int threads = gridDim.x * 1024;
    const int thread = blockIdx.x * 1024 + threadIdx.x;
    for (int bin = threadIdx.x / 32; bin < 256; bin += 32) {
        counts[bin][lane] = 0;
    }
    __syncthreads();  // all counters are zero
    int chunk = thread;
    for (; chunk + 3 * threads < count; chunk += 4 * threads) {
        float4 loaded[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            loaded[k] = chunks[chunk + k * threads];
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            atomicAdd(&counts[bin_of(loaded[k].x)][lane], 1);
            atomicAdd(&counts[bin_of(loaded[k].y)][lane], 1);
            atomicAdd(&counts[bin_of(loaded[k].z)][lane], 1);
            atomicAdd(&counts[bin_of(loaded[k].w)][lane], 1);
        }
    }
    for (; chunk < count; chunk += threads) {
        const float4 loaded = chunks[chunk];
        atomicAdd(&counts[bin_of(loaded.x)][lane], 1);
        atomicAdd(&counts[bin_of(loaded.y)][lane], 1);
        atomicAdd(&counts[bin_of(loaded.z)][lane], 1);
        atomicAdd(&counts[bin_of(loaded.w)][lane], 1);
    }
    if (thread < n % 4) {
        atomicAdd(&counts[bin_of(in[4 * count + thread])][lane], 1);
    }
    __syncthreads();  // all is counted
    if (threadIdx.x < 256) {
        unsigned sum = 0;
        for (int other = 0; other < 32; other++) {
            sum += counts[threadIdx.x][(lane + other) % 32];
        }
        if (sum > 0) {
            atomicAdd(&out[threadIdx.x], float(sum));
        }
    }
    // END SOLUTION
}
