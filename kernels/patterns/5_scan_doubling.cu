// Each tile of 1024 elements becomes its prefix sums: out[i] = the sum of in[j], j from the tile's first element to i.
//
// Thread t of block b owns the element 1024·b + t. In the level of `distance` it adds the sum `distance` places to its left, if there is one; after the
// levels 1, 2, 4, … 512 it has the sum of all elements to its left (Hillis and Steele).
//
// Launch: grid ⌈n/1024⌉, block (1024).
// Napkin: 10 levels of up to 1023 additions: ten times the 1023 that it takes one after the other.

extern "C" __global__ void scan_doubling_f32(float* out, const float* in, int n) {
    // TASK: Two arrays of 1024 sums in shared memory: each level reads the one and writes the other, so that one barrier a level suffices.
    // Beyond n an element counts as 0.
    // BEGIN SOLUTION
    __shared__ float sums[2][1024];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 1024 + t;
    int from = 0;
    sums[0][t] = i < n ? in[i] : 0;
    for (int distance = 1; distance < 1024; distance *= 2) {
        __syncthreads();  // the level before is complete
        const float left = t >= distance ? sums[from][t - distance] : 0;
        sums[1 - from][t] = sums[from][t] + left;
        from = 1 - from;
    }
    if (i < n) {
        out[i] = sums[from][t];
    }
    // END SOLUTION
}
