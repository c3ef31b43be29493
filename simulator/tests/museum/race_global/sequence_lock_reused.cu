// A sequence lock whose data are written anew while they may be read: the first version is waited for, the second is not.
// launch: grid 2 block 1
// arg: int data[8] = zeros
// arg: int sequence[1] = zeros
// arg: int out[1] = zeros
// arg: int versions = 4
// finds: race
extern "C" __global__ void publish(int* data, volatile int* sequence, int* out, int versions) {
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
        do {
            before = *sequence;
        } while (before == 0 || before % 2 == 1);
        __threadfence();
        sum = 0;
        for (int i = 0; i < 8; ++i) {
            sum += data[i];
        }
        __threadfence();
    } while (*sequence != before);
    *out = sum;
}
