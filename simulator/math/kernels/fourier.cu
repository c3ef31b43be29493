// The kernels of the cuFFT stand-in: Fourier transforms in up to three dimensions, by factors.
//
// `load` brings the caller's numbers into a dense array of complex ones, `pass` takes one factor of one dimension from there to a second such
// array (Stockham's order, so that nothing is reversed), and `store` brings the last array to the caller. Real numbers are complex ones
// without an imaginary part; a half that symmetry leaves out is filled in by `load` and left out by `store`.

typedef unsigned int Index;
typedef long long Long;

template <typename T> struct Complex { T re, im; };

template <typename T> __device__ Complex<T> operator+(Complex<T> x, Complex<T> y) { return {x.re + y.re, x.im + y.im}; }
template <typename T> __device__ Complex<T> operator*(Complex<T> x, Complex<T> y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

__device__ void turn(float half_turns, float* sine, float* cosine) { sincospif(half_turns, sine, cosine); }
__device__ void turn(double half_turns, double* sine, double* cosine) { sincospi(half_turns, sine, cosine); }

// The root of unity that is `part` of `whole` of a turn.
template <typename T> __device__ Complex<T> root(Index part, Index whole, int sign) {
    Complex<T> w;
    turn(T(2 * (Long)part) / T(whole), &w.im, &w.re);
    w.im *= sign;
    return w;
}

enum Form { COMPLEX, REAL, HALF };

// Numbers as the caller has them.
struct Caller {
    void* at;
    // Numbers from one to the next, from row to row, from plane to plane, and from transform to transform.
    Long step, row, plane, batch;
    int form;
};

struct Move {
    Caller caller;
    void* dense;
    // Planes, rows and columns of the dense array, and transforms.
    Index planes, rows, columns, batch;
};

struct Pass {
    const void* from;
    void* to;
    // Numbers of the array; the length of the dimension, and what the passes before have made of it; and how far its next number lies.
    Index count, length, done, stride;
    Index factor;
    int sign;
};

template <typename T> __device__ void load(const Move& m) {
    const Index count = m.planes * m.rows * m.columns * m.batch;
    const Index half = m.columns / 2 + 1;
    for (Index i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        Index x = i % m.columns, y = i / m.columns % m.rows, z = i / m.columns / m.rows % m.planes;
        const Index batch = i / m.columns / m.rows / m.planes;
        const bool is_mirrored = m.caller.form == HALF && x >= half;
        if (is_mirrored) {
            x = m.columns - x;
            y = y ? m.rows - y : 0;
            z = z ? m.planes - z : 0;
        }
        const Long at = batch * m.caller.batch + z * m.caller.plane + y * m.caller.row + x * m.caller.step;
        Complex<T> value;
        if (m.caller.form == REAL) {
            value = {((const T*)m.caller.at)[at], T(0)};
        } else {
            value = ((const Complex<T>*)m.caller.at)[at];
            if (is_mirrored) value.im = -value.im;
        }
        ((Complex<T>*)m.dense)[i] = value;
    }
}

template <typename T> __device__ void store(const Move& m) {
    const Index columns = m.caller.form == HALF ? m.columns / 2 + 1 : m.columns;
    const Index count = m.planes * m.rows * columns * m.batch;
    for (Index i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const Index x = i % columns, y = i / columns % m.rows, z = i / columns / m.rows % m.planes;
        const Index batch = i / columns / m.rows / m.planes;
        const Complex<T> value = ((const Complex<T>*)m.dense)[((batch * m.planes + z) * m.rows + y) * m.columns + x];
        const Long at = batch * m.caller.batch + z * m.caller.plane + y * m.caller.row + x * m.caller.step;
        if (m.caller.form == REAL) ((T*)m.caller.at)[at] = value.re;
        else ((Complex<T>*)m.caller.at)[at] = value;
    }
}

// Where a thread reads the first of its numbers and writes the first of its results. `part` is its place among the `done` of a block.
struct Place { Index from, to, part; };

__device__ Place place(const Pass& p, Index factor, Index thread) {
    const Index inner = thread % p.stride, butterflies = p.length / factor;
    const Index j = thread / p.stride % butterflies;
    const Index start = thread / p.stride / butterflies * p.length * p.stride + inner;
    const Index part = j % p.done;
    return {start + j * p.stride, start + ((j - part) * factor + part) * p.stride, part};
}

template <typename T, int R> __device__ void pass(const Pass& p) {
    const Complex<T>* from = (const Complex<T>*)p.from;
    Complex<T>* to = (Complex<T>*)p.to;
    const Index apart = p.length / R * p.stride;
    Complex<T> roots[R];
#pragma unroll
    for (int q = 0; q < R; ++q) roots[q] = root<T>(q, R, p.sign);
    for (Index i = blockIdx.x * blockDim.x + threadIdx.x; i < p.count / R; i += gridDim.x * blockDim.x) {
        const Place at = place(p, R, i);
        Complex<T> x[R];
#pragma unroll
        for (int q = 0; q < R; ++q) x[q] = from[at.from + q * apart];
        if (p.done > 1) {
#pragma unroll
            for (int q = 1; q < R; ++q) x[q] = x[q] * root<T>(q * at.part, p.done * R, p.sign);
        }
#pragma unroll
        for (int k = 0; k < R; ++k) {
            Complex<T> sum = x[0];
#pragma unroll
            for (int q = 1; q < R; ++q) sum = sum + (k * q % R == 0 ? x[q] : x[q] * roots[k * q % R]);
            to[at.to + k * p.done * p.stride] = sum;
        }
    }
}

// Another prime factor: a thread for each result. `part` has 64 bits, because here a factor is not small.
template <typename T> __device__ void prime(const Pass& p) {
    const Complex<T>* from = (const Complex<T>*)p.from;
    Complex<T>* to = (Complex<T>*)p.to;
    const Index apart = p.length / p.factor * p.stride;
    for (Index i = blockIdx.x * blockDim.x + threadIdx.x; i < p.count; i += gridDim.x * blockDim.x) {
        const Index each = p.count / p.factor, k = i / each;
        const Place at = place(p, p.factor, i % each);
        const Index whole = p.done * p.factor;
        Complex<T> sum = from[at.from];
        for (Index q = 1; q < p.factor; ++q) {
            const Index angle = (unsigned long long)q * (at.part + k * p.done) % whole;
            sum = sum + from[at.from + q * apart] * root<T>(angle, whole, p.sign);
        }
        to[at.to + k * p.done * p.stride] = sum;
    }
}

#define KERNEL(name, argument, ...) \
    extern "C" __global__ void __launch_bounds__(256) name(const argument given) { __VA_ARGS__(given); }

#define ALL(dtype, T)                      \
    KERNEL(load_##dtype, Move, load<T>)    \
    KERNEL(store_##dtype, Move, store<T>)  \
    KERNEL(pass_2_##dtype, Pass, pass<T, 2>) \
    KERNEL(pass_3_##dtype, Pass, pass<T, 3>) \
    KERNEL(pass_4_##dtype, Pass, pass<T, 4>) \
    KERNEL(pass_5_##dtype, Pass, pass<T, 5>) \
    KERNEL(pass_7_##dtype, Pass, pass<T, 7>) \
    KERNEL(prime_##dtype, Pass, prime<T>)

ALL(f32, float)
ALL(f64, double)
