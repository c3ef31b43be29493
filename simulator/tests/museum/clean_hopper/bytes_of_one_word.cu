// Lanes, warps and blocks change bytes and halves of the same words, each its own; several bits of a byte only with atomics.
// launch: grid 2 block 64
// arg: int bytes[32] = zeros
// arg: int halves[64] = zeros
// arg: int out[128]
extern "C" __global__ void parts(unsigned char* bytes, unsigned short* halves, int* out) {
    __shared__ unsigned char own[64];
    __shared__ unsigned short turned[64];
    __shared__ unsigned flags[2];
    const int x = threadIdx.x, i = blockIdx.x + 2 * x;
    bytes[i] += 1;
    halves[i] += 1;
    own[x] = x;
    own[x] += 1;
    turned[x % 2 * 32 + x / 2] = x;
    turned[x % 2 * 32 + x / 2] += 1;
    flags[x / 32] = 0;
    __syncthreads();
    atomicOr(&flags[x / 32], 1u << x % 32);
    own[x ^ 1] += 1;
    __syncthreads();
    unsigned* const word = reinterpret_cast<unsigned*>(own) + x / 4;
    const unsigned four = *word;
    __syncthreads();
    if (x % 4 == 0) {
        *word = four + 1;
    }
    __syncthreads();
    out[64 * blockIdx.x + x] = own[x] + turned[x] + flags[x / 32];
}
