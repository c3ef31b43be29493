// What each program checks with: a failed call or a wrong answer ends it with 1 and says where.
#pragma once
#include <cstdio>
#include <cstdlib>
#define CALL(...) do { cudaError_t failed = (__VA_ARGS__); if (failed != cudaSuccess) { \
    std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, cudaGetErrorName(failed), cudaGetErrorString(failed)); std::exit(1); } } while (0)
#define CHECK(...) do { if (!(__VA_ARGS__)) { std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #__VA_ARGS__); std::exit(1); } } while (0)
