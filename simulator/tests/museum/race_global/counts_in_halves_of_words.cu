// Two threads count in each half of a word, each reads before the other has written.
// launch: grid 1 block 32
// arg: int counts[16] = zeros
// finds: race
extern "C" __global__ void pairs(unsigned short* counts) {
    counts[threadIdx.x / 2] += 1;
}
