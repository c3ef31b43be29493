// A sequence lock whose data are volatile on both sides: a version that is read half is read once more.
// launch: grid 3 block 1
// arg: int data[8] = zeros
// arg: int sequence[1] = zeros
// arg: int out[3] = zeros
// arg: int versions = 4
extern "C" __global__ void publish(volatile int* data, volatile int* sequence, int* out, int versions) {
    if (blockIdx.x == 0) {
        #pragma unroll 1
        for (int version = 1; version <= versions; ++version) {
            *sequence = 2 * version - 1;
            __threadfence();
            for (int i = 0; i < 8; ++i) {
                data[i] = version * i;
            }
            __threadfence();
            *sequence = 2 * version;
        }
        return;
    }
    int before, sum;
    do {
        before = *sequence;
        __threadfence();
        sum = 0;
        for (int i = 0; i < 8; ++i) {
            sum += data[i];
        }
        __threadfence();
    } while (before % 2 == 1 || *sequence != before);
    // Whichever version it was, it was read whole.
    out[blockIdx.x] = sum - 28 * (before / 2);
}
