// A histogram with ++ in global memory: warps race, and so do blocks, which no barrier helps.
// launch: grid 2 block 64
// arg: int bins[4] = zeros
// finds: race
extern "C" __global__ void histogram(int* bins) {
    bins[threadIdx.x % 4]++;
}
