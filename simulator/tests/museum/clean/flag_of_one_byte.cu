// A flag of one byte is taken as compilers do it: the word around it is loaded, and swapped until nobody came between.
// launch: grid 2 block 32
// arg: int taken_by[1] = zeros
__device__ unsigned char flag;
extern "C" __global__ void take(unsigned* taken_by) {
    unsigned* word = (unsigned*)((unsigned long long)&flag & ~3ull);
    unsigned shift = 8 * (unsigned)((unsigned long long)&flag & 3), before, seen = *word;
    do {
        before = seen;
        seen = atomicCAS(word, before, (before & ~(255u << shift)) | 1u << shift);
    } while (seen != before);
    if ((seen >> shift & 255) == 0) {
        *taken_by = 1 + blockIdx.x * blockDim.x + threadIdx.x;
    }
}
