// A warp that only arrives at a barrier reads what the others wrote before it: arriving is not waiting.
// launch: grid 1 block 64
// arg: int out[32] = zeros
// finds: race
extern "C" __global__ void relay(int* out) {
    __shared__ int buffer[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        buffer[lane] = lane;
        asm volatile("bar.sync 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        out[lane] = buffer[lane];
    }
}
