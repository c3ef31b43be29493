// Two threads count in each byte, and in each half of a word of global memory: each reads before the other has written.
// launch: grid 1 block 32
// arg: int halves[16] = zeros
// finds: race
extern "C" __global__ void pairs(unsigned short* halves) {
    __shared__ unsigned char bytes[32];
    bytes[threadIdx.x] = 0;
    __syncthreads();
    bytes[threadIdx.x / 2] += 1;
    __syncthreads();
    halves[threadIdx.x / 2] += bytes[threadIdx.x];
}
