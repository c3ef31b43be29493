// Everybody reads the whole tile; what was not written is not selected.
// launch: grid 1 block 32
// arg: float out[32]
// arg: float in[20] = iota
// arg: int n = 20
extern "C" __global__ void sum(float* out, const float* in, int n) {
    __shared__ float tile[32];
    int x = threadIdx.x;
    if (x < n) {
        tile[x] = in[x];
    }
    __syncthreads();
    float all = 0;
#pragma unroll 1
    for (int i = 0; i < 32; ++i) {
        float value = tile[i];
        all += i < n ? value : 0.0f;
    }
    float own = tile[x];
    float shared = __shfl_xor_sync(0xffffffff, own, 1);
    out[x] = all + (x < n - 1 && (x ^ 1) < n ? shared : 0.0f);
}
