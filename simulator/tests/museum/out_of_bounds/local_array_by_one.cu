// An array of the thread's own is filled from 0 to its size, and not to the element before.
// launch: grid 1 block 32
// arg: int out[32] = zeros
// arg: int last = 8
// finds: out of bounds
extern "C" __global__ void fill(int* out, int last) {
    int own[8];
    for (int i = 0; i <= last; ++i) {
        own[i] = i * i;
    }
    out[threadIdx.x] = own[threadIdx.x % 8];
}
