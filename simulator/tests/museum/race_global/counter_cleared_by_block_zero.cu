// Block 0 clears the counter that the other blocks add to.
// launch: grid 4 block 32
// arg: int counter[1] = zeros
// finds: race
extern "C" __global__ void count(int* counter) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *counter = 5;
    }
    atomicAdd(counter, 1);
}
