// What is printed was never written.
// launch: grid 1 block 1
// arg: int in[1]
// finds: uninitialised
extern "C" __global__ void show(const int* in) {
    printf("%d\n", *in);
}
