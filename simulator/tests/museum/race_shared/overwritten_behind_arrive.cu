// The producer arrives, does not wait, and fills the buffer again while the consumer reads it.
// launch: grid 1 block 64
// arg: int out[64] = zeros
// arg: int in[64] = iota
// finds: race
extern "C" __global__ void relay(int* out, const int* in) {
    __shared__ int buffer[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int round = 0; round < 2; ++round) {
            buffer[lane] = in[round * 32 + lane];
            asm volatile("bar.arrive %0, 64;" ::"r"(1 + round) : "memory");
        }
    } else {
        for (int round = 0; round < 2; ++round) {
            asm volatile("bar.sync %0, 64;" ::"r"(1 + round) : "memory");
            out[round * 32 + lane] = buffer[31 - lane];
        }
    }
}
