// Much work for its budget: the counter of its loop is on the way to its end, and nobody says that it never leaves it.
// launch: grid 1 block 32
// arg: int out[32]
// arg: int in[32] = iota
// arg: int n = 50000
// budget: 100000
// finds: budget
extern "C" __global__ void much(int* out, volatile const int* in, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += in[i % 32];
    }
    out[threadIdx.x] = sum;
}
