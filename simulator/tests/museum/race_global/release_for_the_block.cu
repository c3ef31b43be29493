// Release and acquire with the scope of the block, between two blocks.
// requires: sm_70
// launch: grid 2 block 1
// arg: int data[1] = zeros
// arg: int flag[1] = zeros
// arg: int out[1] = zeros
// finds: race
extern "C" __global__ void send(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        asm volatile("st.release.cta.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        int seen = 0;
        while (seen == 0) {
            asm volatile("ld.acquire.cta.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        }
        *out = *data;
    }
}
