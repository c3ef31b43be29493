// A shared array of floats is written as float2 from an odd element on.
// launch: grid 1 block 8
// arg: float out[8]
// finds: misaligned
extern "C" __global__ void pair(float* out) {
    __shared__ __align__(16) float data[32];
    float2* pairs = reinterpret_cast<float2*>(data + 1);
    pairs[threadIdx.x] = make_float2(threadIdx.x, 1);
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x + 1];
}
