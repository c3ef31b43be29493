// What kernels need on both sides, in words that both compilers take.
HELPER u32 bits(float f) { return f != f ? 0x7fffffffu : __float_as_uint(f); }
HELPER u64 bits(double d) { return d != d ? 0x7ff8000000000000ull : (u64)__double_as_longlong(d); }
// Quotients that C++ leaves undefined are the dividend.
template <class T> HELPER T quotient(T a, T b) { return b == 0 || b == (T)-1 ? a : (T)(a / b); }
template <class T> HELPER T rest(T a, T b) { return b == 0 || b == (T)-1 ? a : (T)(a % b); }
template <class T> HELPER T least(T a, T b) { return b < a ? b : a; }
template <class T> HELPER T most(T a, T b) { return a < b ? b : a; }
// A NaN has no integer that both sides agree on.
HELPER float number(float f) { return f != f ? 0.0f : f; }
HELPER double number(double d) { return d != d ? 0.0 : d; }
// The lanes of the caller's warp.
HELPER u32 lanes() {
    const u32 left = blockDim.x - (threadIdx.x & ~31u);
    return left >= 32 ? 0xffffffffu : (1u << left) - 1;
}
// `lane` where it is in the mask, else the caller's own.
HELPER u32 among(u32 mask, u32 lane) { return mask >> (lane & 31) & 1 ? lane & 31 : threadIdx.x & 31; }
