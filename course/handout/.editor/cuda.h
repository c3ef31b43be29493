// What the kernels' compiler has built in, in words that clangd understands: an editor reads it before each kernel, and no build does.
#ifndef EDITOR_CUDA_H
#define EDITOR_CUDA_H
#define __CUDACC_RTC__
#define __CUDACC__
#define __CUDA_ARCH__ 890
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#define __cluster_dims__(...)
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __builtin_align__(n) __align__(n)
#define __CUDA_DEVICE__
typedef __SIZE_TYPE__ size_t;
#include "device_types.h"
#include "vector_types.h"
#include <__clang_cuda_builtin_vars.h>
#define EDITOR_VECTORS(type, scalar) \
    __device__ type##2 make_##type##2(scalar x, scalar y); \
    __device__ type##3 make_##type##3(scalar x, scalar y, scalar z); \
    __device__ type##4 make_##type##4(scalar x, scalar y, scalar z, scalar w);
EDITOR_VECTORS(float, float)
EDITOR_VECTORS(int, int)
EDITOR_VECTORS(uint, unsigned)
__device__ double2 make_double2(double x, double y);
#define EDITOR_ATOMICS(type) \
    __device__ type atomicAdd(type *at, type value); \
    __device__ type atomicSub(type *at, type value); \
    __device__ type atomicExch(type *at, type value); \
    __device__ type atomicMin(type *at, type value); \
    __device__ type atomicMax(type *at, type value); \
    __device__ type atomicAnd(type *at, type value); \
    __device__ type atomicOr(type *at, type value); \
    __device__ type atomicXor(type *at, type value); \
    __device__ type atomicCAS(type *at, type expected, type value);
EDITOR_ATOMICS(int)
EDITOR_ATOMICS(unsigned)
EDITOR_ATOMICS(unsigned long long)
__device__ float atomicAdd(float *at, float value);
__device__ double atomicAdd(double *at, double value);
template <class T> __device__ T __shfl_sync(unsigned mask, T value, int lane, int width = 32);
template <class T> __device__ T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32);
template <class T> __device__ T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32);
template <class T> __device__ T __shfl_xor_sync(unsigned mask, T value, int lane, int width = 32);
template <class T> __device__ T __ldg(const T *at);
template <class T> __device__ T __ldcg(const T *at);
template <class T> __device__ T __ldcs(const T *at);
template <class T> __device__ void __stcs(T *at, T value);
template <class T> __device__ void __stcg(T *at, T value);
__device__ unsigned __ballot_sync(unsigned mask, int predicate);
__device__ int __any_sync(unsigned mask, int predicate);
__device__ int __all_sync(unsigned mask, int predicate);
__device__ unsigned __activemask();
__device__ void __syncwarp(unsigned mask = ~0u);
__device__ void __threadfence();
__device__ void __threadfence_block();
__device__ int __syncthreads_or(int predicate);
__device__ int __syncthreads_and(int predicate);
__device__ int __syncthreads_count(int predicate);
__device__ size_t __cvta_generic_to_shared(const void *at);
__device__ unsigned __float_as_uint(float value);
__device__ int __float_as_int(float value);
__device__ float __uint_as_float(unsigned value);
__device__ float __int_as_float(int value);
__device__ int __popc(unsigned value);
__device__ int __ffs(int value);
__device__ int __clz(int value);
__device__ long long clock64();
template <class T> __device__ T min(T a, T b);
template <class T> __device__ T max(T a, T b);
__device__ float fmaf(float a, float b, float c);
__device__ double fma(double a, double b, double c);
__device__ float fminf(float a, float b);
__device__ float fmaxf(float a, float b);
__device__ float fabsf(float value);
__device__ float sqrtf(float value);
__device__ float rsqrtf(float value);
__device__ float expf(float value);
__device__ int printf(const char *format, ...);
#define assert(condition) ((void)(condition))
#endif
