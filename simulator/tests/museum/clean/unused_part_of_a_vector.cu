// A vector of four is loaded and stored, of which three were written.
// launch: grid 1 block 32
// arg: float out[160]
// arg: float in[96] = iota
extern "C" __global__ void scale(float* out, const float* in) {
    __shared__ float4 points[32];
    int x = threadIdx.x;
    points[x].x = in[3 * x];
    points[x].y = in[3 * x + 1];
    points[x].z = in[3 * x + 2];
    __syncthreads();
    float4 p = points[31 - x];
    reinterpret_cast<float4*>(out)[x] = p;
    out[128 + x] = p.x * p.x + p.y * p.y + p.z * p.z;
}
