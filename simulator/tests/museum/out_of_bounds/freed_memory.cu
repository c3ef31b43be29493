// The host freed the array before the kernel ran.
// launch: grid 1 block 32
// arg: float data[32] = freed
// finds: use after free
extern "C" __global__ void fill(float* data) {
    data[threadIdx.x] = 1;
}
