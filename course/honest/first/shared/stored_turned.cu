// The tile is filled the other way round and read in order.

extern "C" __global__ void shared_f32(float* out, const float* in, int n) {
    const int t = threadIdx.x;
    const int begin = blockIdx.x * 256;
    const int count = min(256, n - begin);
    __shared__ float tile[256];
    if (t < count) {
        tile[count - 1 - t] = in[begin + t];
    }
    __syncthreads();
    if (t < count) {
        out[begin + t] = tile[t];
    }
}
