// out[i] = 1 - in[i], an element for each thread, and a last block that has more threads than there are elements left.
//
// Thread t of block b owns the element 256·b + t, if there is one: n is seldom a multiple of 256.
//
// Launch: grid ⌈n/256⌉, block (256).
// Napkin: n = 1003 takes 4 blocks; 21 of their 1024 threads have no element.

extern "C" __global__ void guard_f32(float* out, const float* in, int n) {
    // TASK: As in `map`, out[i] = 1 - in[i]; a thread whose number is n or more must touch nothing.
    // BEGIN SOLUTION
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 1 - in[i];
    }
    // END SOLUTION
}
