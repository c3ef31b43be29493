// Volatile is taken for atomic: of 64 additions few arrive.
// launch: grid 2 block 32
// arg: int c[2] = zeros
// finds: race
extern "C" __global__ void count(volatile int* c) {
    c[1] = c[1] + 1;
}
