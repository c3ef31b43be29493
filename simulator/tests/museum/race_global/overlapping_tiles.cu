// The tiles of neighbouring blocks overlap by one element, and each block writes its own number.
// launch: grid 4 block 32
// arg: int out[128]
// finds: race
extern "C" __global__ void paint(int* out) {
    out[blockIdx.x * 31 + threadIdx.x] = blockIdx.x * 100;
}
