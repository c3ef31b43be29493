// Each tile of 1024 elements becomes its prefix sums, with as few additions as a tree has: a sweep up, and one down.
//
// The sweep up is the tree of a sum: with `stride` = 1, 2, … 512, place 2·stride·(t+1) - 1 gets the sum of 2·stride elements. The sweep down, with
// `stride` = 256, … 1, hands each of these sums on to the place `stride` further on, which lacks it. Threads t and t + 512 bring the elements in.
//
// A level's places lie 2·stride apart, all in one bank from 16 on. So element i lies at i + i/32 of the array: a word is left out after every 32.
//
// Launch: grid ⌈n/1024⌉, block (512).
// Napkin: 1023 + 1013 additions in 19 levels, where `scan_doubling` makes 9217 in 10.

__device__ int padded(int i) {
    return i + i / 32;
}

extern "C" __global__ void scan_sweeps_f32(float* out, const float* in, int n) {
    // TASK: Fill the padded array, sweep up, sweep down, write out; a barrier before each level and before the end. A thread with no place in a level
    // (beyond 1023) only takes part in the barrier.
    // BEGIN SOLUTION
    __shared__ float sums[1024 + 32];
    const int t = threadIdx.x;
    const int begin = blockIdx.x * 1024;
    for (int i = t; i < 1024; i += 512) {
        sums[padded(i)] = i < n - begin ? in[begin + i] : 0;
    }
    for (int stride = 1; stride < 1024; stride *= 2) {
        __syncthreads();  // the level before is complete
        const int right = 2 * stride * (t + 1) - 1;
        if (right < 1024) {
            sums[padded(right)] += sums[padded(right - stride)];
        }
    }
    for (int stride = 256; stride > 0; stride /= 2) {
        __syncthreads();  // the larger sums are handed on
        const int left = 2 * stride * (t + 1) - 1;
        if (left + stride < 1024) {
            sums[padded(left + stride)] += sums[padded(left)];
        }
    }
    __syncthreads();  // all sums are complete
    for (int i = t; i < 1024 && i < n - begin; i += 512) {
        out[begin + i] = sums[padded(i)];
    }
    // END SOLUTION
}
