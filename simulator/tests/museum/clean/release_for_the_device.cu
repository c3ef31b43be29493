// Release and acquire with the scope of the device, between two blocks; the reader takes the flag down with a plain store.
// requires: sm_70
// launch: grid 2 block 1
// arg: int data[1] = zeros
// arg: int flag[1] = zeros
// arg: int out[1] = zeros
extern "C" __global__ void send(int* data, int* flag, int* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        int seen = 0;
        while (seen == 0) {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        }
        *out = *data;
        *flag = 0;
    }
}
