// The counter is not set before the first atomicAdd.
// launch: grid 2 block 32
// arg: int counter[1]
// finds: uninitialised
extern "C" __global__ void count(int* counter) {
    atomicAdd(counter, 1);
}
