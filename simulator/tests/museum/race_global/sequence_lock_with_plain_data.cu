// A sequence lock: its reader looks at the counter in front of the data and behind them. The writer stores the data plainly.
// launch: grid 2 block 1
// arg: int data[2] = zeros
// arg: int sequence[1] = zeros
// arg: int out[2] = zeros
// finds: race
extern "C" __global__ void publish(int* data, volatile int* sequence, int* out) {
    if (blockIdx.x == 0) {
        *sequence = 1;
        __threadfence();
        data[0] = 6;
        data[1] = 7;
        __threadfence();
        *sequence = 2;
        return;
    }
    const volatile int* seen = data;
    int before, behind, first, second;
    do {
        before = *sequence;
        __threadfence();
        first = seen[0];
        second = seen[1];
        __threadfence();
        behind = *sequence;
    } while (before != behind || before % 2 == 1);
    out[0] = first;
    out[1] = second;
}
