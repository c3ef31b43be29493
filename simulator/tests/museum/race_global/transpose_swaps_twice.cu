// A transpose in place in which both threads of a pair swap it: neither an atomic nor a barrier gives each pair to one thread.
// launch: grid 2 2 block 8 8
// arg: float a[256] = iota
// arg: int n = 16
// finds: race
extern "C" __global__ void transpose(float* a, int n) {
    int x = blockIdx.x * 8 + threadIdx.x;
    int y = blockIdx.y * 8 + threadIdx.y;
    float other = a[x * n + y];
    a[x * n + y] = a[y * n + x];
    a[y * n + x] = other;
}
