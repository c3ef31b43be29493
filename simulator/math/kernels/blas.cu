// The kernels of the cuBLAS stand-in. A matrix is an address and two strides in elements, so that column-major and row-major order,
// transposes, vectors with an increment and both sides of a triangular solve are one kernel each. A batch is a third stride, or a list of
// addresses. Sums of f16 and bf16 are taken in f32.
//
// Which thread owns which element stands at each kernel. Every kernel takes one struct, which `src/layout.rs` mirrors.

typedef long long Long;

// Numbers of `cudaDataType`.
enum Type { R_32F = 0, R_64F = 1, R_16F = 2, R_8I = 3, R_32I = 10, R_16BF = 14 };

// A complex number. Its products are four multiplications, so that an infinity or a NaN goes where the plain formula takes it.
template <typename R>
struct alignas(2 * sizeof(R)) Complex {
    R re, im;
    Complex() = default;
    __device__ Complex(R re, R im = R(0)) : re(re), im(im) {}
    __device__ Complex& operator+=(Complex y) { return *this = *this + y; }
    __device__ Complex& operator-=(Complex y) { return *this = *this - y; }
    friend __device__ Complex operator+(Complex x, Complex y) { return {x.re + y.re, x.im + y.im}; }
    friend __device__ Complex operator-(Complex x, Complex y) { return {x.re - y.re, x.im - y.im}; }
    friend __device__ Complex operator*(Complex x, Complex y) { return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }
    // Smith's way, so that no square leaves the range of the type.
    friend __device__ Complex operator/(Complex x, Complex y) {
        if (fabs(y.re) < fabs(y.im)) return Complex(x.im, -x.re) / Complex(y.im, -y.re);
        const R ratio = y.im / y.re, below = y.re + y.im * ratio;
        return {(x.re + x.im * ratio) / below, (x.im - x.re * ratio) / below};
    }
    friend __device__ bool operator==(Complex x, R y) { return x.re == y && x.im == 0; }
    friend __device__ bool operator!=(Complex x, R y) { return !(x == y); }
};

struct Half { unsigned short bits; };
struct Bfloat { unsigned short bits; };

__device__ float widened(Half x) {
    float y;
    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
    return y;
}
__device__ float widened(Bfloat x) { return __uint_as_float((unsigned)x.bits << 16); }
__device__ float widened(float x) { return x; }
__device__ double widened(double x) { return x; }
__device__ int widened(signed char x) { return x; }
__device__ int widened(int x) { return x; }
template <typename R> __device__ Complex<R> widened(Complex<R> x) { return x; }

__device__ void narrow(float x, Half& to) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(x)); }
// To the nearest, to the even one of two; a NaN stays one.
__device__ void narrow(float x, Bfloat& to) {
    const unsigned bits = __float_as_uint(x);
    to.bits = x != x ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
__device__ void narrow(float x, float& to) { to = x; }
__device__ void narrow(double x, double& to) { to = x; }
__device__ void narrow(int x, int& to) { to = x; }
template <typename R> __device__ void narrow(Complex<R> x, Complex<R>& to) { to = x; }

// The type of a number's size: its own, or that of its parts.
template <typename T> struct Sized { typedef T Real; };
template <typename R> struct Sized<Complex<R>> { typedef R Real; };
template <typename T> using RealOf = typename Sized<T>::Real;
template <typename T> constexpr bool IS_COMPLEX = sizeof(T) != sizeof(RealOf<T>);

template <typename T> __device__ T conjugate(T x, bool) { return x; }
template <typename R> __device__ Complex<R> conjugate(Complex<R> x, bool is_so) { return {x.re, is_so ? -x.im : x.im}; }

// The size that `asum`, `iamax` and `iamin` take: of a complex number the sum of those of its parts.
template <typename T> __device__ T size_of(T x) { return x < 0 ? -x : x; }
template <typename R> __device__ R size_of(Complex<R> x) { return size_of(x.re) + size_of(x.im); }

// A factor: a value from the host, or the address of one on the device.
struct Scalar {
    double value, imaginary;
    const void* at;
    int type;
};

template <typename C>
__device__ C value_of(const Scalar& factor) {
    typedef RealOf<C> R;
    if constexpr (IS_COMPLEX<C>) {
        // A factor has the precision of the elements; those of `herk` are real.
        if (!factor.at) return C(R(factor.value), R(factor.imaginary));
        return factor.type == R_32F || factor.type == R_64F ? C(*(const R*)factor.at) : *(const C*)factor.at;
    }
    if (!factor.at) return C(factor.value);
    switch (factor.type) {
        case R_64F: return C(*(const double*)factor.at);
        case R_16F: return C(widened(*(const Half*)factor.at));
        case R_16BF: return C(widened(*(const Bfloat*)factor.at));
        case R_32I: return C(*(const int*)factor.at);
        default: return C(*(const float*)factor.at);
    }
}

struct Matrix {
    void* at;
    Long row, col, batch;
    // A complex matrix is read as its conjugate.
    int conjugated;
};

template <typename T>
__device__ T* of_batch(const Matrix& matrix, bool is_list, Long batch) {
    return is_list ? ((T* const*)matrix.at)[batch] : (T*)matrix.at + matrix.batch * batch;
}

// ---- Level 1. Thread t of the grid owns the elements t, t + threads of the grid, …

struct Vectors {
    Long n;
    Scalar alpha;
    void* x;
    Long x_step;
    void* y;
    Long y_step;
    // The sums that blocks of a reduction leave to the last step, and its answer.
    void* partial;
    void* result;
    // The place of an element is an answer of 64 bits, not of 32.
    int is_wide;
};

#define EACH_ELEMENT(i) _Pragma("unroll 1") for (Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; i < v.n; i += (Long)gridDim.x * blockDim.x)

template <typename T>
__device__ void axpy(const Vectors& v) {
    typedef decltype(widened(T())) C;
    const C alpha = value_of<C>(v.alpha);
    EACH_ELEMENT(i) {
        T& y = ((T*)v.y)[i * v.y_step];
        narrow(alpha * widened(((const T*)v.x)[i * v.x_step]) + widened(y), y);
    }
}

template <typename T>
__device__ void scal(const Vectors& v) {
    typedef decltype(widened(T())) C;
    const C alpha = value_of<C>(v.alpha);
    EACH_ELEMENT(i) {
        T& x = ((T*)v.x)[i * v.x_step];
        narrow(alpha * widened(x), x);
    }
}

// A complex vector by a real factor.
template <typename R>
__device__ void scal_real(const Vectors& v) {
    const R alpha = value_of<R>(v.alpha);
    EACH_ELEMENT(i) {
        Complex<R>& x = ((Complex<R>*)v.x)[i * v.x_step];
        x = {alpha * x.re, alpha * x.im};
    }
}

template <typename T>
__device__ void copy(const Vectors& v) {
    EACH_ELEMENT(i) ((T*)v.y)[i * v.y_step] = ((const T*)v.x)[i * v.x_step];
}

template <typename T>
__device__ void swap(const Vectors& v) {
    EACH_ELEMENT(i) {
        T &x = ((T*)v.x)[i * v.x_step], &y = ((T*)v.y)[i * v.y_step];
        const T kept = x;
        x = y;
        y = kept;
    }
}

// A reduction carries a sum, a sum of squares as scale²·sum, or the best value and its place.
template <typename T>
struct Sum {
    T value, scale;
    Long place;
};

template <typename T, bool CONJUGATED = false>
struct Dot {
    typedef T Value;
    static constexpr bool TWO = true;
    static __device__ Sum<T> first() { return {T(0), T(0), 0}; }
    static __device__ Sum<T> of(T x, T y, Long) { return {conjugate(x, CONJUGATED) * y, T(0), 0}; }
    static __device__ Sum<T> both(Sum<T> a, Sum<T> b) { return {a.value + b.value, T(0), 0}; }
    static __device__ void answer(Sum<T> sum, const Vectors& v) { *(T*)v.result = sum.value; }
};
template <typename T> struct Dotc : Dot<T, true> {};

template <typename T>
struct Asum : Dot<RealOf<T>> {
    typedef RealOf<T> R;
    static constexpr bool TWO = false;
    static __device__ Sum<R> of(T x, T, Long) { return {size_of(x), R(0), 0}; }
};

// Scaled by the largest element, so that no square leaves the range of the type.
template <typename T>
struct Nrm2 : Asum<T> {
    typedef RealOf<T> R;
    static __device__ Sum<R> of(R x, R, Long) { return {x == 0 ? R(0) : R(1), size_of(x), 0}; }
    static __device__ Sum<R> of(Complex<R> x, Complex<R>, Long) { return both(of(x.re, x.re, 0), of(x.im, x.im, 0)); }
    static __device__ Sum<R> both(Sum<R> a, Sum<R> b) {
        if (a.scale < b.scale || b.scale != b.scale) {
            const Sum<R> kept = a;
            a = b;
            b = kept;
        }
        // Equal scales are alike also where both are infinite.
        const R ratio = a.scale == b.scale ? R(1) : b.scale / a.scale;
        return {a.scale == 0 ? R(0) : a.value + b.value * ratio * ratio, a.scale, 0};
    }
    static __device__ void answer(Sum<R> sum, const Vectors& v) { *(R*)v.result = sum.scale * sqrt(sum.value); }
};

// Places count from 1; 0 stands for none. The first of equal ones wins.
template <typename T, bool IS_MAX>
struct Iam : Asum<T> {
    typedef RealOf<T> R;
    static __device__ Sum<R> of(T x, T, Long i) { return {size_of(x), R(0), i + 1}; }
    static __device__ Sum<R> both(Sum<R> a, Sum<R> b) {
        if (!a.place || !b.place) return a.place ? a : b;
        const bool is_better = IS_MAX ? b.value > a.value : b.value < a.value;
        return is_better || (b.value == a.value && b.place < a.place) ? b : a;
    }
    static __device__ void answer(Sum<R> sum, const Vectors& v) {
        if (v.is_wide) {
            *(Long*)v.result = sum.place;
        } else {
            *(int*)v.result = (int)sum.place;
        }
    }
};
template <typename T> struct Iamax : Iam<T, true> {};
template <typename T> struct Iamin : Iam<T, false> {};

constexpr int REDUCING = 256;

// The sum over a block in its thread 0. In each turn half of the threads take in what the other half has.
template <typename Op, typename V>
__device__ Sum<V> over_block(Sum<V> own, Sum<V>* sums) {
    sums[threadIdx.x] = own;
    __syncthreads();
#pragma unroll 1
    for (int apart = REDUCING / 2; apart > 0; apart /= 2) {
        if (threadIdx.x < apart) sums[threadIdx.x] = Op::both(sums[threadIdx.x], sums[threadIdx.x + apart]);
        __syncthreads();
    }
    return sums[0];
}

// A block leaves one partial sum; `finish`, one block, adds them in a fixed order, so that equal inputs have equal answers.
template <typename T, typename Op>
__device__ void reduce(const Vectors& v) {
    typedef typename Op::Value V;
    __shared__ Sum<V> sums[REDUCING];
    Sum<V> own = Op::first();
    EACH_ELEMENT(i) {
        const T x = ((const T*)v.x)[i * v.x_step];
        own = Op::both(own, Op::of(x, Op::TWO ? ((const T*)v.y)[i * v.y_step] : x, i));
    }
    const Sum<V> all = over_block<Op>(own, sums);
    if (threadIdx.x == 0) ((Sum<V>*)v.partial)[blockIdx.x] = all;
}

template <typename Op>
__device__ void finish(const Vectors& v) {
    typedef typename Op::Value V;
    __shared__ Sum<V> sums[REDUCING];
    Sum<V> own = Op::first();
    EACH_ELEMENT(i) own = Op::both(own, ((const Sum<V>*)v.partial)[i]);
    const Sum<V> all = over_block<Op>(own, sums);
    if (threadIdx.x == 0) Op::answer(all, v);
}

// ---- Products with a matrix. `b` of a product with a vector is a matrix of one column.

struct Product {
    Matrix a, b, c, d;
    Long m, n, k, batch;
    Scalar alpha, beta;
    const void* bias;
    Long bias_batch;
    // `lists`: a, b, c and d are lists of addresses. `triangle`: 0 all of d is written, 1 the lower triangle, 2 the upper one. `epilogue`: bits of
    // `Epilogue`, by which a sum is changed before it is written. `unit`: the diagonal of A counts as ones.
    int lists, triangle, epilogue, unit;
};

// `HERMITIAN`: the diagonal of D is real.
enum Epilogue { RELU = 2, BIAS = 4, GELU = 32, HERMITIAN = 1 << 16 };

// y = αAx + βy. Where elements of a column of A are neighbours, a lane owns an element of y, so that lanes read neighbours, and the warps of
// a block share the columns. Elsewhere a warp owns one, and its lanes read along the row.
constexpr int GEMV_BLOCK = 256, SLICES = GEMV_BLOCK / 32;

// A lane's number from the lane that is `apart` after it.
template <typename C> __device__ C from_below(C x, int apart) { return __shfl_down_sync(~0u, x, apart); }
template <typename R> __device__ Complex<R> from_below(Complex<R> x, int apart) { return {from_below(x.re, apart), from_below(x.im, apart)}; }

template <typename T>
__device__ void gemv(const Product& g) {
    typedef decltype(widened(T())) C;
    __shared__ C sums[SLICES][32];
    const C alpha = value_of<C>(g.alpha), beta = value_of<C>(g.beta);
    const bool by_warp = g.a.row != 1;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const Long row = by_warp ? blockIdx.x * (Long)SLICES + warp : blockIdx.x * (Long)32 + lane;
    const int first = by_warp ? lane : warp, step = by_warp ? 32 : SLICES;
    const Long k = row < g.m && alpha != 0 ? g.k : 0;
    for (Long batch = blockIdx.y; batch < g.batch; batch += gridDim.y) {
        const T* a = of_batch<T>(g.a, g.lists, batch) + row * g.a.row;
        const T* x = of_batch<T>(g.b, g.lists, batch);
        C sum = C(0);
#pragma unroll 8
        for (Long p = first; p < k; p += step) {
            const C of_a = widened(a[p * g.a.col]), of_x = widened(x[p * g.b.row]);
            sum += conjugate(of_a, g.a.conjugated) * of_x;
        }
        if (by_warp) {
            for (int apart = 16; apart > 0; apart /= 2) sum += from_below(sum, apart);
        } else {
            sums[warp][lane] = sum;
            __syncthreads();  // all warps' sums are there
            sum = C(0);
            for (int slice = 0; slice < SLICES; ++slice) sum += sums[slice][lane];
            __syncthreads();  // everyone has read them before the next vector of a batch
        }
        if (row < g.m && (by_warp ? lane : warp) == 0) {
            T& y = of_batch<T>(g.d, g.lists, batch)[row * g.d.row];
            narrow(alpha * sum + (beta == 0 ? C(0) : beta * widened(y)), y);
        }
    }
}

// The form with the hyperbolic tangent, as cuBLAS documents its epilogue. A call, because a thread has sixteen sums.
__device__ __noinline__ float gelu(float x) {
    return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}
__device__ __noinline__ double gelu(double x) { return 0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }
__device__ int gelu(int x) { return x; }
template <typename C> __device__ C relu(C x) { return x < 0 ? C(0) : x; }
// Complex numbers have no order; the library refuses these epilogues of them.
template <typename R> __device__ Complex<R> gelu(Complex<R> x) { return x; }
template <typename R> __device__ Complex<R> relu(Complex<R> x) { return x; }

constexpr int GEMM_BLOCK = 256, ACROSS = 16;

// Elements of shared memory that one instruction moves.
template <typename C>
constexpr int PIECE = 16 / sizeof(C);

// A tile of TILE elements across and DEPTH along k, of a matrix whose elements are `across` and `along` apart. A thread takes MINE, in the
// direction in which elements are neighbours, so that lanes read neighbours. A row of the tile is a piece longer than needed, so that
// both ways spread over the banks.
template <int TILE, int DEPTH, typename T, typename C>
struct Tile {
    static constexpr int MINE = TILE * DEPTH / GEMM_BLOCK, ROW = TILE + PIECE<C>;
    const T* from;
    Long step, next;
    int i, p, i_step, p_step;
    T mine[MINE];

    __device__ Tile(const T* corner, Long across, Long along) {
        const int t = threadIdx.x;
        const bool is_across = across == 1;
        i = is_across ? t % TILE : t / DEPTH;
        p = is_across ? t / TILE : t % DEPTH;
        i_step = is_across ? 0 : GEMM_BLOCK / DEPTH;
        p_step = is_across ? GEMM_BLOCK / TILE : 0;
        from = corner + i * across + p * along;
        step = i_step * across + p_step * along;
        next = DEPTH * along;
    }

    // Into registers; `wide` and `deep` elements are left, and others count as zeros.
    __device__ void load(Long wide, Long deep) {
#pragma unroll
        for (int turn = 0; turn < MINE; ++turn) {
            const bool is_inside = i + turn * i_step < wide && p + turn * p_step < deep;
            mine[turn] = is_inside ? from[turn * step] : T();
        }
        from += next;
    }

    __device__ void keep(C (*tile)[ROW], bool is_conjugate) const {
#pragma unroll
        for (int turn = 0; turn < MINE; ++turn) tile[p + turn * p_step][i + turn * i_step] = conjugate(C(widened(mine[turn])), is_conjugate);
    }
};

// Which of a tile's elements a thread's element `at` is: pieces of neighbours, 16 pieces apart.
template <typename C>
__device__ int place(int thread, int at) {
    return at / PIECE<C> * (ACROSS * PIECE<C>) + thread * PIECE<C> + at % PIECE<C>;
}

template <int EACH, typename C>
__device__ void pieces(C* to, const C* row, int thread) {
    struct alignas(16) Piece { C values[PIECE<C>]; };
#pragma unroll
    for (int at = 0; at < EACH; at += PIECE<C>) {
        const Piece piece = *(const Piece*)(row + place<C>(thread, at));
#pragma unroll
        for (int own = 0; own < PIECE<C>; ++own) to[at + own] = piece.values[own];
    }
}

// D = αAB + βC. A block owns TILE × TILE elements of D, and thread 16·y + x of it EACH × EACH, in pieces of neighbours. Per step of k a thread reads
// 2 · EACH elements of the tiles for EACH² multiply-adds. While a block multiplies, the next tiles come.
template <int TILE, int DEPTH, typename T, typename Out, typename C>
__device__ void gemm(const Product& g) {
    constexpr int EACH = TILE / ACROSS;
    typedef Tile<TILE, DEPTH, T, C> Part;
    __shared__ __align__(16) C tile_a[DEPTH][Part::ROW], tile_b[DEPTH][Part::ROW];
    const C alpha = value_of<C>(g.alpha), beta = value_of<C>(g.beta);
    const Long tiles = (g.m + TILE - 1) / TILE;
    const Long top = blockIdx.x % tiles * TILE, left = blockIdx.x / tiles * TILE;
    const int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    // Nothing of A and B is read where the product counts for nothing.
    const Long k = alpha == 0 ? 0 : g.k;
    for (Long batch = blockIdx.z; batch < g.batch; batch += gridDim.z) {
        Part a(of_batch<T>(g.a, g.lists, batch) + top * g.a.row, g.a.row, g.a.col);
        Part b(of_batch<T>(g.b, g.lists, batch) + left * g.b.col, g.b.col, g.b.row);
        C sum[EACH][EACH] = {};
        a.load(g.m - top, k);
        b.load(g.n - left, k);
        for (Long start = 0; start < k; start += DEPTH) {
            a.keep(tile_a, g.a.conjugated);
            b.keep(tile_b, g.b.conjugated);
            __syncthreads();  // the tiles are complete
            a.load(g.m - top, k - start - DEPTH);
            b.load(g.n - left, k - start - DEPTH);
#pragma unroll 4
            for (int p = 0; p < DEPTH; ++p) {
                C of_a[EACH], of_b[EACH];
                pieces<EACH>(of_a, tile_a[p], x);
                pieces<EACH>(of_b, tile_b[p], y);
#pragma unroll
                for (int i = 0; i < EACH; ++i) {
#pragma unroll
                    for (int j = 0; j < EACH; ++j) sum[i][j] += of_a[i] * of_b[j];
                }
            }
            __syncthreads();  // everyone is done with the tiles before anyone overwrites them
        }
        const Out* c = of_batch<Out>(g.c, g.lists, batch);
        Out* d = of_batch<Out>(g.d, g.lists, batch);
        const Out* bias = (const Out*)g.bias + batch * g.bias_batch;
#pragma unroll
        for (int j = 0; j < EACH; ++j) {
#pragma unroll
            for (int i = 0; i < EACH; ++i) {
                const Long row = top + place<C>(x, i), col = left + place<C>(y, j);
                if (row >= g.m || col >= g.n) continue;
                if ((g.triangle == 1 && row < col) || (g.triangle == 2 && row > col)) continue;
                C value = alpha * sum[i][j];
                if (beta != 0) value += beta * C(widened(c[row * g.c.row + col * g.c.col]));
                if (g.epilogue & BIAS) value += C(widened(bias[row]));
                if (g.epilogue & RELU) value = relu(value);
                if (g.epilogue & GELU) value = gelu(value);
                if constexpr (IS_COMPLEX<C>) {
                    if (g.epilogue & HERMITIAN && row == col) value.im = 0;
                }
                narrow(value, d[row * g.d.row + col * g.d.col]);
            }
        }
    }
}

// D = αA + βB, element by element. Thread t owns element t, counted down the columns.
template <typename T>
__device__ void geam(const Product& g) {
    const Long t = blockIdx.x * (Long)blockDim.x + threadIdx.x;
    const T alpha = value_of<T>(g.alpha), beta = value_of<T>(g.beta);
    if (t >= g.m * g.n) return;
    const Long row = t % g.m, col = t / g.m;
    const T a = alpha == 0 ? T(0) : alpha * conjugate(((const T*)g.a.at)[row * g.a.row + col * g.a.col], g.a.conjugated);
    const T b = beta == 0 ? T(0) : beta * conjugate(((const T*)g.b.at)[row * g.b.row + col * g.b.col], g.b.conjugated);
    ((T*)g.d.at)[row * g.d.row + col * g.d.col] = a + b;
}

// D = A·diag(b) or diag(b)·A: the vector b has a stride for rows or for columns. Thread t owns element t, counted down the columns.
template <typename T>
__device__ void dgmm(const Product& g) {
    const Long t = blockIdx.x * (Long)blockDim.x + threadIdx.x;
    if (t >= g.m * g.n) return;
    const Long row = t % g.m, col = t / g.m;
    const T b = ((const T*)g.b.at)[row * g.b.row + col * g.b.col];
    ((T*)g.d.at)[row * g.d.row + col * g.d.col] = ((const T*)g.a.at)[row * g.a.row + col * g.a.col] * b;
}

// D becomes the X of AX = αD, A of m×m and triangular. Thread j owns column j of D, from the first row on where A is lower.
template <typename T>
__device__ void trsm(const Product& g) {
    const Long j = blockIdx.x * (Long)blockDim.x + threadIdx.x;
    const T alpha = value_of<T>(g.alpha);
    for (Long batch = blockIdx.y; j < g.n && batch < g.batch; batch += gridDim.y) {
        const T* a = of_batch<T>(g.a, g.lists, batch);
        T* d = of_batch<T>(g.d, g.lists, batch) + j * g.d.col;
        for (Long turn = 0; turn < g.m; ++turn) {
            const bool is_lower = g.triangle == 1;
            const Long row = is_lower ? turn : g.m - 1 - turn;
            T rest = alpha == 0 ? T(0) : alpha * d[row * g.d.row];
            for (Long p = is_lower ? 0 : row + 1; alpha != 0 && p < (is_lower ? row : g.m); ++p) {
                rest -= conjugate(a[row * g.a.row + p * g.a.col], g.a.conjugated) * d[p * g.d.row];
            }
            d[row * g.d.row] = g.unit || alpha == 0 ? rest : rest / conjugate(a[row * g.a.row + row * g.a.col], g.a.conjugated);
        }
    }
}

#define KERNEL(name, block, argument, ...) \
    extern "C" __global__ void __launch_bounds__(block) name(const argument given) { __VA_ARGS__(given); }

#define ELEMENTWISE(dtype, T)                   \
    KERNEL(axpy_##dtype, 256, Vectors, axpy<T>) \
    KERNEL(scal_##dtype, 256, Vectors, scal<T>) \
    KERNEL(gemv_##dtype, GEMV_BLOCK, Product, gemv<T>)

ELEMENTWISE(f16, Half)
ELEMENTWISE(bf16, Bfloat)
ELEMENTWISE(f32, float)
ELEMENTWISE(f64, double)
ELEMENTWISE(c32, Complex<float>)
ELEMENTWISE(c64, Complex<double>)
KERNEL(scal_real_c32, 256, Vectors, scal_real<float>)
KERNEL(scal_real_c64, 256, Vectors, scal_real<double>)

#define REDUCTION(name, Op, dtype, T)                             \
    KERNEL(name##_##dtype, REDUCING, Vectors, reduce<T, Op<T>>)   \
    KERNEL(name##_end_##dtype, REDUCING, Vectors, finish<Op<T>>)

#define EXACT(dtype, T)                         \
    KERNEL(copy_##dtype, 256, Vectors, copy<T>) \
    KERNEL(swap_##dtype, 256, Vectors, swap<T>) \
    KERNEL(geam_##dtype, 256, Product, geam<T>) \
    KERNEL(dgmm_##dtype, 256, Product, dgmm<T>) \
    KERNEL(trsm_##dtype, 128, Product, trsm<T>) \
    REDUCTION(dot, Dot, dtype, T)               \
    REDUCTION(asum, Asum, dtype, T)             \
    REDUCTION(nrm2, Nrm2, dtype, T)             \
    REDUCTION(iamax, Iamax, dtype, T)           \
    REDUCTION(iamin, Iamin, dtype, T)

EXACT(f32, float)
EXACT(f64, double)
EXACT(c32, Complex<float>)
EXACT(c64, Complex<double>)
REDUCTION(dotc, Dotc, c32, Complex<float>)
REDUCTION(dotc, Dotc, c64, Complex<double>)

// Several blocks on a multiprocessor, so that some multiply while others load. Sums of 64 bits take twice the registers. The wide form is for
// products with enough tiles of 128 × 128 for a whole card.
#define GEMM(name, blocks, ...) \
    extern "C" __global__ void __launch_bounds__(GEMM_BLOCK, blocks) name(const Product given) { __VA_ARGS__(given); }

#define GEMMS(types, T, Out, C)                            \
    GEMM(gemm_##types, 4, gemm<64, 16, T, Out, C>)         \
    GEMM(gemm_wide_##types, 2, gemm<128, 8, T, Out, C>)

GEMM(gemm_f64_f64, 2, gemm<64, 16, double, double, double>)
GEMM(gemm_c32_c32, 2, gemm<64, 16, Complex<float>, Complex<float>, Complex<float>>)
GEMM(gemm_c64_c64, 1, gemm<64, 16, Complex<double>, Complex<double>, Complex<double>>)
GEMMS(f32_f32, float, float, float)
GEMMS(f16_f16, Half, Half, float)
GEMMS(f16_f32, Half, float, float)
GEMMS(bf16_bf16, Bfloat, Bfloat, float)
GEMMS(bf16_f32, Bfloat, float, float)
GEMMS(s8_s32, signed char, int, int)
