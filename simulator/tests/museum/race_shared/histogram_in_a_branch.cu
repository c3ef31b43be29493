// Bins are counted with ++ inside of a branch: a barrier there would be one that not all threads reach.
// launch: grid 1 block 128
// arg: int out[16]
// arg: int in[128] = iota
// arg: int n = 100
// finds: race
extern "C" __global__ void histogram(int* out, const int* in, int n) {
    __shared__ int counts[16];
    int i = threadIdx.x;
    if (i < 16) counts[i] = 0;
    __syncthreads();
    if (i < n) {
        int bin = in[i] % 16;
        counts[bin]++;
    }
    __syncthreads();
    if (i < 16) out[i] = counts[i];
}
