// A counter of all blocks, added to with an atomic that is one among the threads of a block only.
// requires: sm_70
// launch: grid 2 block 32
// arg: int counter[1] = zeros
// finds: race
extern "C" __global__ void count(int* counter) {
    asm volatile("red.relaxed.cta.global.add.s32 [%0], 1;" ::"l"(counter) : "memory");
}
