// out[c] += the sum of column c of a matrix, whose elements come from many threads.
//
// in[i] lies in column i % columns. Thread t of block b owns the element 256·b + t, if there is one; it adds to a sum that others add to as well.
//
// Launch: grid ⌈n/256⌉, block (256). out holds numbers before the launch, to which the columns are added.
// Napkin: n additions. Where a plain += reads, adds and writes in three steps, another thread's addition may come between and be lost.

extern "C" __global__ void atomic_f32(float* out, const float* in, int n, int columns) {
    // TASK: Add the thread's element to the sum of its column, in one step that no other thread can divide.
    // BEGIN SOLUTION
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&out[i % columns], in[i]);
    }
    // END SOLUTION
}
