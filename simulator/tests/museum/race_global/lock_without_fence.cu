// A spin lock that does not make the protected writes visible before it lets go.
// launch: grid 4 block 1
// arg: int lock[1] = zeros
// arg: int sum[1] = zeros
// finds: race
extern "C" __global__ void add(int* lock, int* sum) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *sum = *sum + 1 + blockIdx.x;
    atomicExch(lock, 0);
}
