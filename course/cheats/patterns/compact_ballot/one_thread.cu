// due: 1 of 5
// One thread of a warp looks at its elements, one after the other.

extern "C" __global__ void compact_ballot_f32(float* out, const float* in, int n) {
    const int begin = blockIdx.x * 256 + threadIdx.x;
    if (threadIdx.x % 32 == 0) {
        unsigned count = 0;
        for (int i = begin; i < n && i < begin + 32; i++) {
            count += in[i] > 0;
        }
        unsigned first = atomicAdd(reinterpret_cast<unsigned*>(out + n), count);
        for (int i = begin; i < n && i < begin + 32; i++) {
            if (in[i] > 0) {
                out[first++] = in[i];
            }
        }
    }
}
