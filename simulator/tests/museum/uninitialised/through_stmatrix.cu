// A matrix is stored transposed of which some elements were never written.
// requires: sm_90
// launch: grid 1 block 32
// arg: int out[64]
// arg: int in[32] = iota 28
// finds: uninitialised
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
extern "C" __global__ void turn(int* out, const unsigned* in) {
    __shared__ alignas(16) unsigned short tile[64];
    int x = threadIdx.x;
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(at(&tile[x % 8 * 8])), "r"(in[x]) : "memory");
    __syncwarp();
    for (int i = x; i < 64; i += 32) {
        out[i] = tile[i] + 1;
    }
}
