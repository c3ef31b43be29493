// A counter for each block: the scope of the block is wide enough.
// requires: sm_70
// launch: grid 2 block 64
// arg: int counter[2] = zeros
extern "C" __global__ void count(int* counter) {
    asm volatile("red.relaxed.cta.global.add.s32 [%0], 1;" ::"l"(counter + blockIdx.x) : "memory");
}
