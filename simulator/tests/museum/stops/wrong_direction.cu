// A halving tree that goes up instead of down.
// launch: grid 1 block 64
// arg: float data[64] = iota
// budget: 1000000
// finds: budget
extern "C" __global__ void tree(volatile float* data) {
    for (int half = 32; half > 0; half *= 3) {
        if (threadIdx.x < half % 32) {
            data[threadIdx.x] += data[threadIdx.x + half % 32];
        }
        __syncwarp();
    }
}
