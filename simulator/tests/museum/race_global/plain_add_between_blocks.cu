// Assignment 2: partial sums of several blocks go to one element with +=.
// launch: grid 4 block 64
// arg: float b[1] = zeros
// arg: float a[256] = iota
// finds: race
extern "C" __global__ void add(float* b, const float* a) {
    __shared__ float part[64];
    int x = threadIdx.x;
    part[x] = a[blockIdx.x * 64 + x];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (x < half) {
            part[x] += part[x + half];
        }
        __syncthreads();
    }
    if (x == 0) {
        b[0] += part[0];
    }
}
