// out[w] = the sum of warp w's 32 elements, without shared memory: lanes hand each other their registers.
//
// A warp is 32 threads that go together; a thread's place in it is its lane. Lane l of warp w owns the element 32·w + l.
//
// Launch: grid ⌈n/256⌉, block (256), which is 8 warps.
// Napkin: 5 steps, 16 + 8 + 4 + 2 + 1 = 31 additions that count. No barrier: a shuffle is one by itself.

extern "C" __global__ void shuffle_f32(float* out, const float* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // TASK: Each lane begins with its element, or 0 beyond the last one. In the steps 16, 8, 4, 2, 1 it adds what the lane so many places further
    // on has. Then lane 0 writes the sum to out[i / 32], if its own element is there. All 32 lanes must take part in every shuffle.
    // BEGIN SOLUTION
    float sum = i < n ? in[i] : 0;
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    }
    if (i % 32 == 0 && i < n) {
        out[i / 32] = sum;
    }
    // END SOLUTION
}
