// A barrier of the grid by hand, with naps; one block has ended before it.
// requires: sm_70
// launch: grid 8 block 64
// arg: unsigned arrived[1] = zeros
// arg: int out[64]
// budget: 200000
// finds: deadlock
extern "C" __global__ void meet(unsigned* arrived, int* out) {
    if (blockIdx.x == 3) {
        return;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        unsigned nap = 8;
        while (*(volatile unsigned*)arrived < gridDim.x) {
            __nanosleep(nap);
            nap = nap < 256 ? 2 * nap : nap;
        }
    }
    __syncthreads();
    out[threadIdx.x] = 1;
}
