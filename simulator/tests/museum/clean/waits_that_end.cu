// Threads wait for a flag that nobody sets, and give up: after so many looks, by the clock in its own units or in thousands of them, or after some naps.
// requires: sm_70
// launch: grid 2 block 128
// arg: int flag[1] = zeros
// arg: int out[256]
extern "C" __global__ void wait(volatile int* flag, int* out) {
    const int way = threadIdx.x / 32;
    int rounds = 0;
    const long long begin = clock64();
    if (way == 0) {
        while (!*flag && rounds < 20000) {
            rounds++;
        }
    } else if (way == 1) {
        while (!*flag && clock64() - begin < 300000) {
        }
    } else if (way == 2) {
        bool late = false;
        while (!*flag && !late) {
            if ((clock64() - begin) / 1000 > 200) {
                late = true;
            }
        }
    } else {
        for (unsigned nap = 1; !*flag && nap < 1u << 20; nap += 64) {
            __nanosleep(nap);
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = rounds;
}
