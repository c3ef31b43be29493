// due: 0 of 2
// The tile is filled, and the elements are read from global memory all the same.

extern "C" __global__ void shared_f32(float* out, const float* in, int n) {
    const int t = threadIdx.x;
    const int begin = blockIdx.x * 256;
    const int count = min(256, n - begin);
    __shared__ float tile[256];
    if (t < count) {
        tile[t] = in[begin + t];
    }
    __syncthreads();
    if (t < count) {
        out[begin + t] = n < 0 ? tile[t] : in[begin + count - 1 - t];
    }
}
