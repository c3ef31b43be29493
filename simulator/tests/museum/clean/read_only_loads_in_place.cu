// Each thread reads its own element through the read-only cache before it writes it: no load comes after a write.
// launch: grid 2 block 64
// arg: int data[256] = iota
extern "C" __global__ void scale(int* data) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 256; i += gridDim.x * blockDim.x) {
        data[i] = 3 * __ldg(&data[i]);
    }
}
