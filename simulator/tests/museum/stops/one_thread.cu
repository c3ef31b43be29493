// All of a block's work in one of its threads: the others have nothing to do, and have ended.
// launch: grid 1 block 64
// arg: int out[1]
// arg: int in[32] = iota
// arg: int n = 50000
// budget: 100000
// finds: budget
extern "C" __global__ void alone(int* out, volatile const int* in, int n) {
    if (threadIdx.x > 0) {
        return;
    }
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += in[i % 32];
    }
    out[0] = sum;
}
