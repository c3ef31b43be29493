// Two warps hand a buffer to and fro with two named barriers.
// launch: grid 1 block 64
// arg: int out[128]
// arg: int in[128] = iota
extern "C" __global__ void relay(int* out, const int* in) {
    __shared__ int buffer[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int round = 0; round < 4; ++round) {
            if (round > 0) {
                asm volatile("bar.sync 2, 64;" ::: "memory");
            }
            buffer[lane] = in[round * 32 + lane];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        }
    } else {
        for (int round = 0; round < 4; ++round) {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[round * 32 + lane] = buffer[31 - lane];
            if (round < 3) {
                asm volatile("bar.arrive 2, 64;" ::: "memory");
            }
        }
    }
}
