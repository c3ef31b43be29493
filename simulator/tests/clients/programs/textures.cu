// Texture and surface objects over arrays and over plain memory: filters, addressing modes, fractions, layers, bounds.
#include "check.h"
#include <cmath>
#include <vector>

__global__ void fetch_2d(cudaTextureObject_t texture, const float2 *at, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<float>(texture, at[i].x, at[i].y);
}

__global__ void fetch_bytes(cudaTextureObject_t fractions, cudaTextureObject_t integers, float4 *f, uchar4 *u) {
    f[threadIdx.x] = tex2D<float4>(fractions, threadIdx.x + 0.5f, 0.5f);
    u[threadIdx.x] = tex2D<uchar4>(integers, threadIdx.x + 0.5f, 0.5f);
}

__global__ void fetch_plain(cudaTextureObject_t texture, int *out) { out[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x); }

__global__ void fetch_layer(cudaTextureObject_t texture, float *out) {
    out[threadIdx.x] = tex2DLayered<float>(texture, 0.5f, 1.5f, threadIdx.x);
}

__global__ void fetch_3d(cudaTextureObject_t texture, float *out) { *out = tex3D<float>(texture, 1.0f, 1.0f, 1.0f); }

// Doubles what a surface holds: an element is 4 bytes along x.
__global__ void double_surface(cudaSurfaceObject_t surface) {
    int value = surf2Dread<int>(surface, threadIdx.x * 4, threadIdx.y);
    surf2Dwrite(2 * value, surface, threadIdx.x * 4, threadIdx.y);
    // Outside: nothing is written.
    surf2Dwrite(-1, surface, (threadIdx.x + blockDim.x) * 4, threadIdx.y, cudaBoundaryModeZero);
}

template <typename T> T *device(const std::vector<T> &values) {
    T *pointer;
    CALL(cudaMalloc(&pointer, values.size() * sizeof(T)));
    CALL(cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return pointer;
}

template <typename T> std::vector<T> host(const T *pointer, size_t n) {
    std::vector<T> values(n);
    CALL(cudaMemcpy(values.data(), pointer, n * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureAddressMode mode, cudaTextureFilterMode filter, cudaTextureReadMode read, bool normalised) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc texture = {};
    for (auto &each : texture.addressMode) each = mode;
    texture.filterMode = filter;
    texture.readMode = read;
    texture.normalizedCoords = normalised;
    cudaTextureObject_t object;
    CALL(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
    return object;
}

int main() {
    const int W = 5, H = 3, N = 40;
    std::vector<float> texels(W * H);
    for (int i = 0; i < W * H; i++) texels[i] = float(i * i % 17) - 4.0f;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CALL(cudaMallocArray(&array, &format, W, H));
    CALL(cudaMemcpy2DToArray(array, 0, 0, texels.data(), W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice));
    std::vector<float> back(W * H);
    CALL(cudaMemcpy2DFromArray(back.data(), W * sizeof(float), array, 0, 0, W * sizeof(float), H, cudaMemcpyDeviceToHost));
    CHECK(back == texels);
    cudaExtent extent;
    unsigned flags;
    CALL(cudaArrayGetInfo(&format, &extent, &flags, array));
    CHECK(extent.width == W && extent.height == H && format.x == 32 && format.f == cudaChannelFormatKindFloat);

    std::vector<float2> at(N);
    for (int i = 0; i < N; i++) at[i] = make_float2(i * 0.193f - 1.1f, i * 7 % N * 0.111f - 0.7f);
    float2 *d_at = device(at);
    float *d_out = device(std::vector<float>(N, NAN));
    auto texel = [&](int x, int y) { return texels[std::min(std::max(y, 0), H - 1) * W + std::min(std::max(x, 0), W - 1)]; };
    // The programming guide's linear filter: weights have 8 bits behind the point.
    cudaTextureObject_t linear = texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeElementType, false);
    fetch_2d<<<1, 64>>>(linear, d_at, d_out, N);
    std::vector<float> out = host(d_out, N);
    for (int i = 0; i < N; i++) {
        float x = at[i].x - 0.5f, y = at[i].y - 0.5f, a = x - floorf(x), b = y - floorf(y);
        int j = int(floorf(x)), k = int(floorf(y));
        float want = (1 - a) * (1 - b) * texel(j, k) + a * (1 - b) * texel(j + 1, k) + (1 - a) * b * texel(j, k + 1) + a * b * texel(j + 1, k + 1);
        CHECK(fabsf(out[i] - want) < 0.2f);
    }
    // Wrapped, the nearest one.
    cudaTextureObject_t wrapped = texture_of(array, cudaAddressModeWrap, cudaFilterModePoint, cudaReadModeElementType, true);
    fetch_2d<<<1, 64>>>(wrapped, d_at, d_out, N);
    out = host(d_out, N);
    for (int i = 0; i < N; i++) {
        float x = at[i].x - floorf(at[i].x), y = at[i].y - floorf(at[i].y);
        CHECK(out[i] == texels[std::min(int(y * H), H - 1) * W + std::min(int(x * W), W - 1)]);
    }
    CALL(cudaDestroyTextureObject(linear));
    CALL(cudaDestroyTextureObject(wrapped));
    CALL(cudaFreeArray(array));

    std::vector<uchar4> bytes = {make_uchar4(0, 51, 102, 255), make_uchar4(255, 1, 2, 3)};
    format = cudaCreateChannelDesc<uchar4>();
    CALL(cudaMallocArray(&array, &format, 2, 1));
    CALL(cudaMemcpy2DToArray(array, 0, 0, bytes.data(), 8, 8, 1, cudaMemcpyHostToDevice));
    float4 *d_f = device(std::vector<float4>(2));
    uchar4 *d_u = device(std::vector<uchar4>(2));
    fetch_bytes<<<1, 2>>>(texture_of(array, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeNormalizedFloat, false),
                          texture_of(array, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false), d_f, d_u);
    CHECK(fabsf(host(d_f, 2)[0].y - 0.2f) < 1e-6f && host(d_f, 2)[0].w == 1.0f);
    CHECK(host(d_u, 2)[1].x == 255 && host(d_u, 2)[1].w == 3);

    int *d_plain = device(std::vector<int>{5, -6, 7});
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d_plain;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = 3 * sizeof(int);
    cudaTextureDesc texture = {};
    cudaTextureObject_t plain;
    CALL(cudaCreateTextureObject(&plain, &resource, &texture, nullptr));
    int *d_int = device(std::vector<int>(4, 9));
    fetch_plain<<<1, 4>>>(plain, d_int);
    CHECK((host(d_int, 4) == std::vector<int>{5, -6, 7, 0}));

    // x + 10 y + 100 z, as a solid and as layers.
    std::vector<float> solid(8);
    for (int i = 0; i < 8; i++) solid[i] = i % 2 + i / 2 % 2 * 10 + i / 4 * 100;
    for (int layered = 0; layered < 2; layered++) {
        format = cudaCreateChannelDesc<float>();
        CALL(cudaMalloc3DArray(&array, &format, make_cudaExtent(2, 2, 2), layered ? cudaArrayLayered : 0));
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = make_cudaPitchedPtr(solid.data(), 8, 2, 2);
        copy.dstArray = array;
        copy.extent = make_cudaExtent(2, 2, 2);
        copy.kind = cudaMemcpyHostToDevice;
        CALL(cudaMemcpy3D(&copy));
        cudaTextureObject_t object = texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeElementType, false);
        if (layered) fetch_layer<<<1, 2>>>(object, d_out);
        else fetch_3d<<<1, 1>>>(object, d_out);
        out = host(d_out, 2);
        CHECK(layered ? out[0] == 10.0f && out[1] == 110.0f : out[0] == 55.5f);
    }

    std::vector<int> numbers = {1, 2, 3, 4, 5, 6};
    format = cudaCreateChannelDesc<int>();
    CALL(cudaMallocArray(&array, &format, 3, 2, cudaArraySurfaceLoadStore));
    CALL(cudaMemcpy2DToArray(array, 0, 0, numbers.data(), 12, 12, 2, cudaMemcpyHostToDevice));
    resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    CALL(cudaCreateSurfaceObject(&surface, &resource));
    double_surface<<<1, dim3(3, 2)>>>(surface);
    std::vector<int> doubled(6);
    CALL(cudaMemcpy2DFromArray(doubled.data(), 12, array, 0, 0, 12, 2, cudaMemcpyDeviceToHost));
    CHECK((doubled == std::vector<int>{2, 4, 6, 8, 10, 12}));
    CALL(cudaDestroySurfaceObject(surface));
    CALL(cudaFreeArray(array));
    return 0;
}
