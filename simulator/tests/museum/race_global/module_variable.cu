// A __device__ variable is no safer than other memory.
// launch: grid 3 block 32
// finds: race
__device__ int total;
extern "C" __global__ void add() {
    if (threadIdx.x == 0) {
        total = total + 1;
    }
}
