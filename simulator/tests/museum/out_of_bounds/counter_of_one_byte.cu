// A counter of one byte is raised as if it were four.
// launch: grid 1 block 32
// finds: out of bounds
__device__ unsigned char counter;
extern "C" __global__ void raise() {
    atomicAdd((unsigned*)&counter, 1);
}
