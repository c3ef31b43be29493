// Memory gets its first value by an exchange, whose result nobody uses; then it counts.
// launch: grid 1 block 32
// arg: int count[32]
extern "C" __global__ void count(int* count) {
    atomicExch(&count[threadIdx.x], 0);
    atomicAdd(&count[threadIdx.x], 1);
}
