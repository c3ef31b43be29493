// The warps of every block add to one sum, and a thread of the first block looks at it: the cure is for all blocks, and no
// barrier of one.
// launch: grid 2 block 64
// arg: int sum[1] = zeros
// arg: int in[128] = iota
// arg: int seen[1] = zeros
// finds: race
extern "C" __global__ void add(int* sum, const int* in, int* seen) {
    int x = threadIdx.x;
    if (x == 63 && blockIdx.x == 0) {
        *seen = *sum;
    }
    if (x % 32 == 0) {
        *sum += in[64 * blockIdx.x + x];
    }
}
