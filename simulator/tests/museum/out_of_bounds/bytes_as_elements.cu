// The size in bytes is used as the number of elements.
// launch: grid 1 block 32
// arg: int data[64] = iota
// arg: int bytes = 256
// finds: out of bounds
extern "C" __global__ void clear(int* data, int bytes) {
    for (int i = threadIdx.x; i < bytes; i += 32) {
        data[i] = 0;
    }
}
