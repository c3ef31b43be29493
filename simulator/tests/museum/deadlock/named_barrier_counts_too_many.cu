// A named barrier waits for 96 threads in a block of 64.
// launch: grid 1 block 64
// arg: int out[64]
// finds: deadlock
extern "C" __global__ void wait(int* out) {
    asm volatile("bar.sync 1, 96;" ::: "memory");
    out[threadIdx.x] = 1;
}
