// An in-place stencil: the edge of one block is the neighbour of the next.
// launch: grid 4 block 32
// arg: float data[128] = iota
// finds: race
extern "C" __global__ void smooth(float* data) {
    int i = blockIdx.x * 32 + threadIdx.x;
    float left = i > 0 ? data[i - 1] : 0;
    __syncthreads();
    data[i] = 0.5f * (left + data[i]);
}
