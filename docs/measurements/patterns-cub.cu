// The yardsticks of lab-patterns: CUB's functions for the same five tasks, on the lab's elements and at the lab's sizes.
//
//   nvcc -arch=sm_90 -O3 -std=c++17 -o cub patterns-cub.cu && ./cub              (64 Mi elements)
//   ./cub 16777216                                                                (another size)
//
// Beside it, in the same session: cargo run -rp lab-patterns -- --device gpu --all --size 67108864
//
// One line a function: the median time of 21 calls in µs, between events, and 10⁹ bytes per second by the bytes that the lab counts: the elements once,
// and what has to be written. DeviceSelect takes a predicate (If) as the lab's kernels do, and flags (Flagged), which are n bytes more. DeviceRadixSort
// sorts by bits 8 … 15 alone: a count of digits, their scan, and one pass.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <functional>
#include <thrust/iterator/transform_iterator.h>
#include <vector>

#define CHECK(call)                                                                         \
    do {                                                                                    \
        const cudaError_t error = (call);                                                   \
        if (error != cudaSuccess) {                                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));  \
            exit(2);                                                                        \
        }                                                                                   \
    } while (0)

// Elements of [-1, 1) as the lab draws them: multiples of 2⁻²³.
__global__ void draw(float* in, int n) {
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long z = (i + 1) * 0x9e3779b97f4a7c15ull;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull;
        in[i] = unsigned((z ^ z >> 31) >> 40) * (1.0f / 8388608) - 1;
    }
}

struct IsPositive {
    __device__ bool operator()(float x) const { return x > 0; }
};

// The bin of the lab's histogram: DeviceHistogram takes even bins of x².
struct Square {
    __device__ float operator()(float x) const { return x * x; }
};

struct Positive {
    __device__ unsigned char operator()(float x) const { return x > 0; }
};

using Call = std::function<cudaError_t(void*, size_t&)>;

void time_of(const char* name, double bytes, const Call& call) {
    size_t room = 0;
    CHECK(call(nullptr, room));
    void* temporary;
    CHECK(cudaMalloc(&temporary, room));
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::vector<float> times;
    for (int run = 0; run < 26; run++) {
        CHECK(cudaEventRecord(begin));
        CHECK(call(temporary, room));
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (run >= 5) times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    const double ms = times[times.size() / 2];
    printf("%-28s %10.1f us %8.0f GB/s\n", name, ms * 1e3, bytes / ms / 1e6);
    CHECK(cudaFree(temporary));
}

int main(int count, char** arguments) {
    const int n = count > 1 ? atoi(arguments[1]) : 1 << 26;
    float *in, *out;
    unsigned char* flags;
    int *kept, *bins;
    CHECK(cudaMalloc(&in, 4ll * n));
    CHECK(cudaMalloc(&out, 4ll * n + 4));
    CHECK(cudaMalloc(&flags, n));
    CHECK(cudaMalloc(&kept, 4));
    CHECK(cudaMalloc(&bins, 4 * 256));
    draw<<<1056, 256>>>(in, n);
    CHECK(cudaGetLastError());
    CHECK(cub::DeviceTransform::Transform(in, flags, n, Positive()));
    CHECK(cudaDeviceSynchronize());
    const auto squares = thrust::make_transform_iterator(in, Square());
    const auto* keys = reinterpret_cast<const unsigned*>(in);
    auto* sorted = reinterpret_cast<unsigned*>(out);
    const double all = 4.0 * n;
    time_of("DeviceReduce::Sum", all, [&](void* t, size_t& b) { return cub::DeviceReduce::Sum(t, b, in, out, n); });
    time_of("DeviceScan::InclusiveSum", 2 * all, [&](void* t, size_t& b) { return cub::DeviceScan::InclusiveSum(t, b, in, out, n); });
    time_of("DeviceHistogram::HistogramEven", all, [&](void* t, size_t& b) {
        return cub::DeviceHistogram::HistogramEven(t, b, squares, bins, 257, 0.0f, 1.0f, n);
    });
    time_of("DeviceSelect::If", 1.5 * all, [&](void* t, size_t& b) { return cub::DeviceSelect::If(t, b, in, out, kept, n, IsPositive()); });
    time_of("DeviceSelect::Flagged", 1.5 * all, [&](void* t, size_t& b) { return cub::DeviceSelect::Flagged(t, b, in, flags, out, kept, n); });
    time_of("DeviceRadixSort::SortKeys 8-15", 2 * all, [&](void* t, size_t& b) {
        return cub::DeviceRadixSort::SortKeys(t, b, keys, sorted, n, 8, 16);
    });
    return 0;
}
