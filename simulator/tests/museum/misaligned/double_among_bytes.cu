// A double is stored behind a header of four bytes.
// launch: grid 1 block 4
// arg: int packet[64] = zeros
// finds: misaligned
extern "C" __global__ void pack(char* packet) {
    *reinterpret_cast<double*>(packet + 4 + 8 * threadIdx.x) = threadIdx.x;
}
