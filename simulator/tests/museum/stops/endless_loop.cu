// A loop whose condition never changes.
// launch: grid 1 block 32
// arg: int out[32] = zeros
// arg: int step = 0
// budget: 100000
// finds: budget
extern "C" __global__ void endless(int* out, int step) {
    unsigned sum = 0;
    for (int i = 0; i < 10; i += step) {
        sum = sum * 3 + threadIdx.x;
    }
    out[threadIdx.x] = sum;
}
