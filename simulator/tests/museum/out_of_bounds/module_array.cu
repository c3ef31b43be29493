// One element too many of a __device__ array.
// launch: grid 1 block 32
// finds: out of bounds
__device__ int table[31];
extern "C" __global__ void fill() {
    table[threadIdx.x] = threadIdx.x;
}
