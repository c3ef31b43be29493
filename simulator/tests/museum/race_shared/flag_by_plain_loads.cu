// As between blocks: the last warp sets a flag for which the others wait with plain loads.
// launch: grid 1 block 256
// arg: int out[256]
// budget: 200000
// finds: race
extern "C" __global__ void wait(int* out) {
    __shared__ int flag;
    if (threadIdx.x == 0) {
        flag = 0;
    }
    __syncthreads();
    if (threadIdx.x < 224) {
        while (!flag) {
            __threadfence_block();
        }
        out[threadIdx.x] = 1;
    } else if (threadIdx.x == 224) {
        flag = 1;
    }
}
