// What is added was never written.
// launch: grid 1 block 32
// arg: int sum[1] = zeros
// arg: int in[32] = iota 31
// finds: uninitialised
extern "C" __global__ void add(int* sum, const int* in) {
    atomicAdd(sum, in[threadIdx.x]);
}
