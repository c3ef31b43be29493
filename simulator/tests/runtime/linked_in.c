// What nvcc makes of a program with one kernel, by hand: the kernel's stand-in, its registration by a constructor, and a launch. As a
// program it runs `work`, and opens the plugins that it is given and runs theirs; compiled with PLUGIN it is a library with a `work`.
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct { unsigned x, y, z; } Extent;
typedef struct { unsigned magic, version; const void *image, *more; } Wrapper;
typedef int (*Launch)(const void *, Extent, Extent, void **, size_t, void *);

#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN void *__cudaRegisterFatBinary(const void *);
HIDDEN void __cudaRegisterFatBinaryEnd(void *);
HIDDEN void __cudaUnregisterFatBinary(void *);
HIDDEN void __cudaRegisterFunction(void *, const void *, const char *, const char *, int, void *, void *, void *, void *, int *);
HIDDEN unsigned __cudaPushCallConfiguration(Extent, Extent, size_t, void *);
HIDDEN int __cudaPopCallConfiguration(Extent *, Extent *, size_t *, void **);
HIDDEN int cudaRuntimeGetVersion(int *);
HIDDEN int cudaMalloc(void **, size_t);
HIDDEN int cudaMemcpy(void *, const void *, size_t, int);
// Eight arguments, of which two come on the stack.
HIDDEN int cudaMemcpy2DToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, int);
HIDDEN int cudaLaunchKernel(const void *, Extent, Extent, void **, size_t, void *);
HIDDEN int cudaFuncGetAttributes(void *, const void *);
HIDDEN int cudaPeekAtLastError(void);
HIDDEN int cudaSetDevice(int);
HIDDEN int cudaDeviceReset(void);
// No library has it.
HIDDEN int cudaOfALaterVersion(int);

extern const char image[];
__asm__(".pushsection .nv_fatbin, \"a\"\n.p2align 4\nimage: .incbin \"" IMAGE "\"\n.popsection");
static const Wrapper wrapper = {0x466243b1, 1, image, NULL};
static void *registered;
static char affine;

__attribute__((constructor)) static void begin(void) {
    registered = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(registered, &affine, "affine", "affine", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(registered);
}

__attribute__((destructor)) static void end(void) { __cudaUnregisterFatBinary(registered); }

#define CHECK(is_so) do { if (!(is_so)) { fprintf(stderr, "%s: line %d\n", #is_so, __LINE__); return __LINE__; } } while (0)

static int launch(void *x, int n, float add) {
    void *parameters[] = {&x, &n, &add};
    Extent one = {1, 1, 1}, threads = {64, 1, 1}, grid, block;
    size_t shared;
    void *stream;
    Launch volatile by_address = cudaLaunchKernel;
    if (__cudaPushCallConfiguration(one, threads, 0, NULL) != 0) return -1;
    if (__cudaPopCallConfiguration(&grid, &block, &shared, &stream) != 0) return -2;
    return by_address(&affine, grid, block, parameters, shared, stream);
}

int work(int version) {
    float host[64];
    long attributes[40];
    memset(attributes, -1, sizeof attributes);
    void *x = NULL;
    int found = 0;
    for (int i = 0; i < 64; i++) host[i] = i;
    CHECK(cudaRuntimeGetVersion(&found) == 0 && found / 1000 == version);
    CHECK(cudaMalloc(&x, sizeof host) == 0);
    CHECK(cudaMemcpy(x, host, sizeof host, 1) == 0);
    CHECK(launch(x, 64, 1) == 0);
    CHECK(cudaMemcpy(host, x, sizeof host, 2) == 0);
    for (int i = 0; i < 64; i++) CHECK(host[i] == i + 1);
    CHECK(cudaFuncGetAttributes(attributes, &affine) == 0);
    // The struct of CUDA 11 ends before what clusters ask: 56 bytes, of which the last four fill it up.
    CHECK(attributes[7] == (VERSION == 11 ? -1 : 0));
    CHECK(cudaFuncGetAttributes(attributes, host) == 98);
    CHECK(cudaMemcpy2DToArray(NULL, 0, 0, host, 8, 8, 8, 77) == 21);
    CHECK(cudaOfALaterVersion(1) == 801 && cudaOfALaterVersion(1) == 801);
    return 0;
}

int last_error(void) { return cudaPeekAtLastError(); }
int fail(void) { return cudaSetDevice(1000); }

#ifndef PLUGIN
static int call(void *library, const char *name, int argument) {
    int (*function)(int) = (int (*)(int))dlsym(library, name);
    return function ? function(argument) : -1;
}

int main(int count, char **words) {
    int code = work(VERSION);
    if (code != 0) return 1;
    // A plugin that is closed and opened again takes no more files each time.
    for (int i = 0, free = -1; i < 20 && count > 2; i++) {
        void *library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
        CHECK(library && call(library, "work", words[2][1] - '0' + 10) == 0 && dlclose(library) == 0);
        CHECK(!dlopen(words[1], RTLD_NOW | RTLD_NOLOAD));
        int next = dup(0);
        CHECK(close(next) == 0 && (free == -1 || next == free));
        free = next;
    }
    for (int i = 1; i + 1 < count; i += 2) {
        void *library = dlopen(words[i], RTLD_NOW | RTLD_LOCAL);
        if (!library) fprintf(stderr, "%s\n", dlerror());
        CHECK(library && call(library, "work", words[i + 1][1] - '0' + 10) == 0);
        // Each has errors of its own.
        CHECK(call(library, "fail", 0) == 101 && call(library, "last_error", 0) == 101 && last_error() != 101);
    }
    // What one has ended, the others begin anew.
    CHECK(cudaDeviceReset() == 0);
    for (int i = 1; i + 1 < count; i += 2) CHECK(call(dlopen(words[i], RTLD_NOW), "work", words[i + 1][1] - '0' + 10) == 0);
    CHECK(work(VERSION) == 0);
    CHECK(fail() == 101 && last_error() == 101);
    return 0;
}
#endif
