// The compiler sees that the pointer is null: it leaves the store out and puts a trap in its place.
// launch: grid 1 block 32
// arg: int value = 5
// finds: trap
extern "C" __global__ void store(int value) {
    int* p = nullptr;
    *p = value;
}
