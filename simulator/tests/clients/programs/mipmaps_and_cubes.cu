// Mipmapped arrays, cubemaps and layers of both through the runtime: levels, gradients, seamless edges, sRGB, surfaces, descriptions.
#include "check.h"
#include <cmath>
#include <vector>

// A place, and the level that is asked for.
struct Place { float x, y, z, level; };

__global__ void levels(cudaTextureObject_t texture, const Place *at, float *out) {
    Place p = at[threadIdx.x];
    out[threadIdx.x] = tex2DLod<float>(texture, p.x, p.y, p.level);
}
__global__ void steps(cudaTextureObject_t texture, const Place *at, float *out) {
    Place p = at[threadIdx.x];
    out[threadIdx.x] = tex2DGrad<float>(texture, 0.5f, 0.5f, make_float2(p.x, p.y), make_float2(p.z, p.level));
}
__global__ void rays(cudaTextureObject_t texture, const Place *at, float *out) {
    Place p = at[threadIdx.x];
    out[threadIdx.x] = texCubemap<float>(texture, p.x, p.y, p.z);
}
__global__ void layers(cudaTextureObject_t texture, const Place *at, float *out) {
    Place p = at[threadIdx.x];
    out[threadIdx.x] = texCubemapLayered<float>(texture, p.x, p.y, p.z, (int)p.level);
}
__global__ void resident(cudaTextureObject_t texture, const Place *at, float *out) {
    bool is_resident = false;
    float value = tex2D<float>(texture, at[threadIdx.x].x, at[threadIdx.x].y, &is_resident);
    out[threadIdx.x] = is_resident ? value : -1;
}
__global__ void write_cubes(cudaSurfaceObject_t surface) {
    int face = threadIdx.z % 6, cube = threadIdx.z / 6;
    float value = 100 * cube + 10 * face + 2 * threadIdx.y + threadIdx.x;
    surfCubemapLayeredwrite(value, surface, threadIdx.x * 4, threadIdx.y, threadIdx.z);
}

template <typename Kernel> std::vector<float> fetched(Kernel kernel, cudaTextureObject_t texture, const std::vector<Place> &at) {
    Place *places;
    float *out;
    CALL(cudaMalloc(&places, at.size() * sizeof(Place)));
    CALL(cudaMalloc(&out, at.size() * sizeof(float)));
    CALL(cudaMemcpy(places, at.data(), at.size() * sizeof(Place), cudaMemcpyHostToDevice));
    kernel<<<1, at.size()>>>(texture, places, out);
    std::vector<float> got(at.size());
    CALL(cudaMemcpy(got.data(), out, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CALL(cudaFree(places));
    CALL(cudaFree(out));
    return got;
}

cudaTextureObject_t texture_of(const cudaResourceDesc &resource, cudaTextureDesc texture, const cudaResourceViewDesc *view = nullptr) {
    for (auto &mode : texture.addressMode) mode = cudaAddressModeClamp;
    texture.normalizedCoords = 1;
    texture.maxMipmapLevelClamp = 16;
    cudaTextureObject_t object;
    CALL(cudaCreateTextureObject(&object, &resource, &texture, view));
    return object;
}

void mipmaps() {
    auto format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t array;
    CALL(cudaMallocMipmappedArray(&array, &format, make_cudaExtent(16, 8, 0), 5));
    for (int number = 0; number < 5; number++) {
        cudaArray_t level;
        cudaExtent extent;
        CALL(cudaGetMipmappedArrayLevel(&level, array, number));
        cudaChannelFormatDesc found;
        CALL(cudaArrayGetInfo(&found, &extent, nullptr, level));
        CHECK(found.x == 32 && found.f == cudaChannelFormatKindFloat);
        CHECK(extent.width == 16u >> number && extent.height == (number < 4 ? 8u >> number : 1u));
        std::vector<float> values(extent.width * extent.height, 10.0f * number);
        CALL(cudaMemcpy2DToArray(level, 0, 0, values.data(), extent.width * 4, extent.width * 4, extent.height, cudaMemcpyHostToDevice));
    }
    cudaArray_t none;
    CHECK(cudaGetMipmappedArrayLevel(&none, array, 5) == cudaErrorInvalidValue);
    cudaGetLastError();
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = array;
    cudaTextureDesc how = {};
    how.filterMode = how.mipmapFilterMode = cudaFilterModeLinear;
    how.mipmapLevelBias = 0.25f;
    auto object = texture_of(resource, how);
    auto got = fetched(levels, object, {{0.5f, 0.5f, 0, 0}, {0.1f, 0.9f, 0, 1.5f}, {0.5f, 0.5f, 0, 9}});
    CHECK(got[0] == 2.5f && got[1] == 17.5f && got[2] == 40);
    got = fetched(steps, object, {{2 / 16.0f, 0, 0, 0}, {0, 0, 0, 4 / 8.0f}});
    CHECK(got[0] == 12.5f && got[1] == 22.5f);
    cudaTextureDesc described;
    CALL(cudaGetTextureObjectTextureDesc(&described, object));
    CHECK(described.mipmapLevelBias == 0.25f && described.mipmapFilterMode == cudaFilterModeLinear && described.normalizedCoords == 1);
    cudaResourceDesc shown;
    CALL(cudaGetTextureObjectResourceDesc(&shown, object));
    CHECK(shown.resType == cudaResourceTypeMipmappedArray && shown.res.mipmap.mipmap == array);
    CALL(cudaDestroyTextureObject(object));
    cudaResourceViewDesc view = {};
    view.format = cudaResViewFormatFloat1;
    view.width = 4, view.height = 2, view.firstMipmapLevel = 2, view.lastMipmapLevel = 3;
    object = texture_of(resource, how, &view);
    got = fetched(levels, object, {{0.5f, 0.5f, 0, -0.25f}, {0.5f, 0.5f, 0, 9}});
    CHECK(got[0] == 20 && got[1] == 30);
    CALL(cudaDestroyTextureObject(object));
    CALL(cudaFreeMipmappedArray(array));
}

void cubes() {
    auto format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CALL(cudaMalloc3DArray(&array, &format, make_cudaExtent(2, 2, 12), cudaArrayCubemap | cudaArrayLayered | cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    CALL(cudaCreateSurfaceObject(&surface, &resource));
    write_cubes<<<1, dim3(2, 2, 12)>>>(surface);
    cudaResourceDesc shown;
    CALL(cudaGetSurfaceObjectResourceDesc(&shown, surface));
    CHECK(shown.resType == cudaResourceTypeArray && shown.res.array.array == array);
    CALL(cudaDestroySurfaceObject(surface));
    unsigned flags;
    CALL(cudaArrayGetInfo(nullptr, nullptr, &flags, array));
    CHECK(flags == (cudaArrayCubemap | cudaArrayLayered | cudaArraySurfaceLoadStore));
    auto object = texture_of(resource, {});
    auto got = fetched(layers, object, {{2, 0.5f, -0.5f, 0}, {0.5f, -2, -0.5f, 1}, {0.5f, 0.5f, -2, 1}});
    CHECK(got[0] == 1 && got[1] == 133 && got[2] == 150);
    CALL(cudaDestroyTextureObject(object));
    CALL(cudaFreeArray(array));
    CALL(cudaMalloc3DArray(&array, &format, make_cudaExtent(2, 2, 6), cudaArrayCubemap));
    std::vector<float> faces(24);
    for (int i = 0; i < 24; i++) faces[i] = i / 4;
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(faces.data(), 8, 2, 2);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(2, 2, 6);
    copy.kind = cudaMemcpyHostToDevice;
    CALL(cudaMemcpy3D(&copy));
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.filterMode = cudaFilterModeLinear;
    object = texture_of(resource, how);
    const Place edge = {1, 0.5f, 0.99999f, 0};
    CHECK(fetched(rays, object, {edge})[0] == 0);
    CALL(cudaDestroyTextureObject(object));
    how.seamlessCubemap = 1;
    object = texture_of(resource, how);
    CHECK(std::fabs(fetched(rays, object, {edge})[0] - 2) < 0.05f);
    CALL(cudaDestroyTextureObject(object));
    CALL(cudaFreeArray(array));
}

void colours() {
    auto format = cudaCreateChannelDesc<unsigned char>();
    cudaArray_t array;
    CALL(cudaMallocArray(&array, &format, 2, 1));
    const unsigned char bytes[] = {188, 255};
    CALL(cudaMemcpy2DToArray(array, 0, 0, bytes, 2, 2, 1, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeNormalizedFloat;
    how.sRGB = 1;
    auto object = texture_of(resource, how);
    auto got = fetched(resident, object, {{0.25f, 0.5f, 0, 0}, {0.75f, 0.5f, 0, 0}});
    CHECK(std::fabs(got[0] - 0.5029f) < 0.002f && got[1] == 1);
    CALL(cudaDestroyTextureObject(object));
    CALL(cudaFreeArray(array));
}

int main() {
    mipmaps();
    cubes();
    colours();
    std::printf("mipmaps and cubes: passed\n");
}
