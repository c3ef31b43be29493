// A named barrier of two warps where four exchange data.
// launch: grid 1 block 128
// arg: int out[128]
// finds: race
extern "C" __global__ void exchange(int* out) {
    __shared__ int data[128];
    int x = threadIdx.x;
    data[x] = x * x;
    int half = x / 64 + 1;
    asm volatile("bar.sync %0, 64;" ::"r"(half) : "memory");
    out[x] = data[127 - x];
}
