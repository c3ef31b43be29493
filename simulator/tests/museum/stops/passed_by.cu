// A counter that passes its end by: it takes odd values, and is compared with an even one.
// launch: grid 1 block 32
// arg: int out[32] = zeros
// arg: int n = 5000000
// budget: 100000
// finds: budget
extern "C" __global__ void passes(volatile int* out, unsigned n) {
    for (unsigned i = 1; i != n; i += 2) {
        out[threadIdx.x] = i;
    }
}
