// CUDA's own vector types, from the end of the array to its beginning.
__device__ float4 step(float4 v, float f) { return make_float4(f * v.x + 1, f * v.y + 1, f * v.z + 1, f * v.w + 1); }
__device__ double2 step(double2 v, double f) { return make_double2(f * v.x + 1, f * v.y + 1); }
template <typename V, typename S>
__device__ void run(S* to, const S* from, S f, long long length) {
    const long long all = (long long)gridDim.x * blockDim.x, own = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const int each = sizeof(V) / sizeof(S);
    const bool aligned = (size_t)to % sizeof(V) == 0 && (size_t)from % sizeof(V) == 0;
    const long long vectors = aligned ? length / each : 0;
    for (long long i = length - 1 - own; i >= vectors * each; i -= all) to[i] = f * from[i] + S(1);
    for (long long i = vectors - 1 - own; i >= 0; i -= all) ((V*)to)[i] = step(((const V*)from)[i], f);
}
extern "C" __global__ void one_touch_f32(float* out, const float* in, float factor, long long count) {
    run<float4>(out, in, factor, count);
}
extern "C" __global__ void one_touch_f64(double* out, const double* in, double factor, long long count) {
    run<double2>(out, in, factor, count);
}
