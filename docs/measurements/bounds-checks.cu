// What Rust's bounds checks cost: four kernels in C++, in Rust (`bounds-checks.rs`) and in Rust without its checks, on 16 Mi elements.
//   CORE=… sh simulator/tests/rust/ptx.sh docs/measurements/bounds-checks.rs                 > checked.ptx
//   CORE=… sh simulator/tests/rust/ptx.sh docs/measurements/bounds-checks.rs --cfg unchecked > unchecked.ptx
//   nvcc -arch=sm_80 -ptx -o cpp.ptx bounds-checks.cu && nvcc -o bounds-checks bounds-checks.cu -lcuda && ./bounds-checks [REPEATS]
// Prints the median time of each in µs, the ratio to C++, and the registers that the driver's assembler takes; each result is compared with C++'s.
#include <cuda.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using Size = unsigned long long;

#define KERNEL(name, value)                                                                                        \
    extern "C" __global__ void name(float* __restrict__ out, const float* __restrict__ x,                           \
                                    const unsigned* __restrict__ order, Size n, Size length) {                      \
        const Size i = blockIdx.x * blockDim.x + threadIdx.x;                                                       \
        if (i < n) {                                                                                               \
            out[i] = value;                                                                                        \
        }                                                                                                          \
    }

__device__ float sum(const float* x, Size n, Size i) {
    float sum = 0;
    for (int row = 0; row < 64; row++) {
        sum += x[row * n + i];
    }
    return sum;
}

KERNEL(scale, 3.0f * x[i])
KERNEL(stencil, x[i] + x[i + 1] + x[i + 2])
KERNEL(gather, x[order[i]])
KERNEL(column, sum(x, n, i))

static void check(CUresult result, const char* what) {
    if (result != CUDA_SUCCESS) {
        const char* words = "";
        cuGetErrorString(result, &words);
        fprintf(stderr, "%s: %s\n", what, words);
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

static std::string text(const std::string& path) {
    std::string all;
    FILE* file = fopen(path.c_str(), "rb");
    for (int c; file && (c = fgetc(file)) != EOF;) {
        all += char(c);
    }
    return all;
}

int main(int argc, char** argv) {
    const int repeats = argc > 1 ? atoi(argv[1]) : 200;
    const char *sources[] = {"cpp", "checked", "unchecked"}, *names[] = {"scale", "stencil", "gather", "column"};
    CUdevice device;
    CUcontext context;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    const Size rows = 64, most = 1 << 24, length = most + 2;
    std::vector<float> x(length);
    std::vector<unsigned> order(most);
    for (Size i = 0; i < length; i++) {
        x[i] = float(i % 1000);
    }
    for (Size i = 0; i < most; i++) {  // another place in the same 1024
        order[i] = unsigned(i / 1024 * 1024 + i * 37 % 1024);
    }
    CUdeviceptr on_x, on_order, out;
    CHECK(cuMemAlloc(&on_x, length * 4));
    CHECK(cuMemAlloc(&on_order, most * 4));
    CHECK(cuMemAlloc(&out, most * 4));
    CHECK(cuMemcpyHtoD(on_x, x.data(), length * 4));
    CHECK(cuMemcpyHtoD(on_order, order.data(), most * 4));
    CUevent begin, end;
    CHECK(cuEventCreate(&begin, 0));
    CHECK(cuEventCreate(&end, 0));
    printf("kernel,source,us,ratio,registers,right\n");
    for (const char* name : names) {
        CUfunction kernels[3];
        std::vector<float> times[3], results[3];
        const Size n = strcmp(name, "column") ? most : most / rows;
        Size of_n = n, of_length = length;
        void* arguments[] = {&out, &on_x, &on_order, &of_n, &of_length};
        for (int of = 0; of < 3; of++) {
            CUmodule module;
            CHECK(cuModuleLoadData(&module, text(std::string(sources[of]) + ".ptx").c_str()));
            CHECK(cuModuleGetFunction(&kernels[of], module, name));
        }
        for (int turn = 0; turn < repeats; turn++) {
            for (int each = 0; each < 3; each++) {
                const int of = (turn + each) % 3;  // each comes first, second and last
                CHECK(cuEventRecord(begin, 0));
                CHECK(cuLaunchKernel(kernels[of], unsigned((n + 255) / 256), 1, 1, 256, 1, 1, 0, 0, arguments, nullptr));
                CHECK(cuEventRecord(end, 0));
                CHECK(cuEventSynchronize(end));
                float ms;
                CHECK(cuEventElapsedTime(&ms, begin, end));
                times[of].push_back(1000 * ms);
                if (turn == repeats - 1) {
                    results[of].resize(n);
                    CHECK(cuMemcpyDtoH(results[of].data(), out, n * 4));
                }
            }
        }
        for (int of = 0; of < 3; of++) {
            std::sort(times[of].begin(), times[of].end());
            int registers;
            CHECK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernels[of]));
            const float median = times[of][repeats / 2];
            printf("%s,%s,%.2f,%.3f,%d,%s\n", name, sources[of], median, median / times[0][repeats / 2], registers,
                   results[of] == results[0] ? "yes" : "NO");
        }
    }
}
