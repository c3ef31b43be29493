// due: 1 of 2
// One thread fills the tile and empties it.

extern "C" __global__ void shared_f32(float* out, const float* in, int n) {
    const int t = threadIdx.x;
    const int begin = blockIdx.x * 256;
    const int count = min(256, n - begin);
    __shared__ float tile[256];
    if (t > 0) return;
    for (int i = 0; i < count; i++) {
        tile[i] = in[begin + i];
    }
    for (int i = 0; i < count; i++) {
        out[begin + i] = tile[count - 1 - i];
    }
}
