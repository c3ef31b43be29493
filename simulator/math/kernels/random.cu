// The kernels of the cuRAND stand-in: XORWOW, MRG32k3a, Philox4x32-10 and Sobol's sequences in the order in which cuRAND's host interface gives
// numbers.
//
// A generator is many sequences, and a thread owns one: 4096 of XORWOW, 2^67 numbers apart, 81920 of MRG32k3a, 2^76 numbers apart, and 65536 of
// Philox, one for each value of a word of its counter. The sequences take turns. A turn is one number of XORWOW and MRG32k3a, or one pair of
// normal ones, and four of Philox. How far a sequence is stays in memory between calls; a turn that a call leaves unfinished begins anew in the
// next. A point of a Sobol sequence follows from its number, so nothing of it stays.
//
// Constants and formulas are those of the published algorithms and of cuRAND's documented device interface.

typedef unsigned int Word;
typedef unsigned long long Wide;

enum Form { BITS, UNIFORM, UNIFORM_DOUBLE, NORMAL, NORMAL_DOUBLE, LOG_NORMAL, LOG_NORMAL_DOUBLE };

struct Request {
    // XORWOW and MRG32k3a: six words for each sequence, word by word; Philox: a number of four words for each; Sobol: direction vectors.
    void* states;
    void* to;
    Wide count;
    // The sequence whose turn it is, and the numbers that its turn has given; of Sobol the number of the first point.
    Wide sequence, given;
    Wide seed;
    double mean, deviation;
    int form;
};

__device__ float uniform(Word x) { return x * 2.3283064e-10f + 2.3283064e-10f / 2.0f; }

__device__ double uniform_double(Word x, Word y) {
    const Wide z = x ^ (Wide)y << 21;
    return z * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
}

// Two normal numbers of two uniform ones, the second as an angle, by Box and Muller.
__device__ float2 normal_of(float x, float angle) {
    const float size = sqrtf(-2.0f * logf(x));
    float2 pair;
    __sincosf(angle, &pair.x, &pair.y);
    pair.x *= size;
    pair.y *= size;
    return pair;
}

// `angle` counts half turns.
__device__ __noinline__ double2 normal_double_of(double x, double angle) {
    const double size = sqrt(-2.0 * log(x));
    double2 pair;
    sincospi(angle, &pair.x, &pair.y);
    pair.x *= size;
    pair.y *= size;
    return pair;
}

// Two normal numbers of two words, or of four.
__device__ float2 normal(Word x, Word y) {
    return normal_of(uniform(x), y * (2.3283064e-10f * 6.2831855f) + 2.3283064e-10f * 6.2831855f / 2);
}

__device__ double2 normal_double(Word x0, Word x1, Word y0, Word y1) {
    const Wide z = y0 ^ (Wide)y1 << 21;
    return normal_double_of(uniform_double(x0, x1), z * (1.1102230246251565e-16 * 2.0) + 1.1102230246251565e-16);
}

__device__ void store(const Request& r, Wide i, float value) {
    const float moved = (float)r.mean + (float)r.deviation * value;
    ((float*)r.to)[i] = r.form == LOG_NORMAL ? expf(moved) : moved;
}

__device__ void store(const Request& r, Wide i, double value) {
    const double moved = r.mean + r.deviation * value;
    ((double*)r.to)[i] = r.form == LOG_NORMAL_DOUBLE ? exp(moved) : moved;
}

// The state of a sequence of XORWOW, and the numbers that it gives.
struct Xorwow {
    Word d, v[5];

    __device__ Word word() {
        const Word t = v[0] ^ v[0] >> 2;
#pragma unroll
        for (int i = 0; i < 4; ++i) v[i] = v[i + 1];
        v[4] = v[4] ^ v[4] << 4 ^ (t ^ t << 1);
        d += 362437;
        return v[4] + d;
    }
    __device__ float single() { return uniform(word()); }
    __device__ double wide() {
        const Word x = word();
        return uniform_double(x, word());
    }
    __device__ float2 pair() {
        const Word x = word();
        return normal(x, word());
    }
    __device__ double2 wide_pair() {
        const Word x0 = word(), x1 = word(), y0 = word(), y1 = word();
        return normal_double(x0, x1, y0, y1);
    }
};

// The state of a sequence of MRG32k3a: three words of each component, the oldest first.
struct Mrg32k3a {
    Word a[3], b[3];

    // The difference of both components, from 1 to the first modulus.
    __device__ double value() {
        constexpr Wide M1 = 4294967087, M2 = 4294944443;
        const Word x = (1403580ull * a[1] + 810728ull * (M1 - a[0])) % M1, y = (527612ull * b[2] + 1370589ull * (M2 - b[0])) % M2;
        a[0] = a[1], a[1] = a[2], a[2] = x;
        b[0] = b[1], b[1] = b[2], b[2] = y;
        return x > y ? x - y : x - y + (Word)M1;
    }
    __device__ Word word() { return (Word)(value() * 1.000000048662); }
    __device__ double wide() { return value() * 2.3283065498378288e-10; }
    __device__ float single() { return (float)wide(); }
    __device__ float2 pair() {
        const float x = single();
        return normal_of(x, single() * 6.2831855f);
    }
    __device__ double2 wide_pair() {
        const double x = wide();
        return normal_double_of(x, wide() * 2.0);
    }
};

// Thread t owns sequence t; the grid has a thread for each.
template <typename Sequence>
__device__ void take_turns(const Request& r) {
    static_assert(sizeof(Sequence) == 24, "six words");
    const Word sequences = gridDim.x * blockDim.x, own = blockIdx.x * blockDim.x + threadIdx.x;
    Word* states = (Word*)r.states + own;
    union State {
        Word words[6];
        Sequence sequence;
    } state;
#pragma unroll
    for (int i = 0; i < 6; ++i) state.words[i] = states[sequences * i];
    Sequence s = state.sequence;
    const bool are_pairs = r.form >= NORMAL;
    const Wide turns = are_pairs ? r.count / 2 : r.count;
    const Word first = (Word)r.sequence;
#pragma unroll 1
    for (Wide turn = own >= first ? own - first : own + sequences - first; turn < turns; turn += sequences) {
        if (r.form == BITS) {
            ((Word*)r.to)[turn] = s.word();
        } else if (r.form == UNIFORM) {
            ((float*)r.to)[turn] = s.single();
        } else if (r.form == UNIFORM_DOUBLE) {
            ((double*)r.to)[turn] = s.wide();
        } else if (r.form == NORMAL || r.form == LOG_NORMAL) {
            const float2 pair = s.pair();
            store(r, 2 * turn, pair.x);
            store(r, 2 * turn + 1, pair.y);
        } else {
            const double2 pair = s.wide_pair();
            store(r, 2 * turn, pair.x);
            store(r, 2 * turn + 1, pair.y);
        }
    }
    state.sequence = s;
#pragma unroll
    for (int i = 0; i < 6; ++i) states[sequences * i] = state.words[i];
}

extern "C" __global__ void __launch_bounds__(256) xorwow(const Request r) { take_turns<Xorwow>(r); }
extern "C" __global__ void __launch_bounds__(256) mrg32k3a(const Request r) { take_turns<Mrg32k3a>(r); }

// Ten rounds of Philox on the counter (low and high word of `number`, `sequence`, 0).
__device__ __noinline__ uint4 philox_words(Wide number, Word sequence, Wide seed) {
    uint4 c = make_uint4((Word)number, (Word)(number >> 32), sequence, 0);
    Word k0 = (Word)seed, k1 = (Word)(seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        const Wide p0 = (Wide)0xD2511F53 * c.x, p1 = (Wide)0xCD9E8D57 * c.z;
        c = make_uint4((Word)(p1 >> 32) ^ c.y ^ k0, (Word)p1, (Word)(p0 >> 32) ^ c.w ^ k1, (Word)p0);
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    return c;
}

// Thread t owns sequence t: 65536 threads.
extern "C" __global__ void __launch_bounds__(256) philox(const Request r) {
    constexpr Word SEQUENCES = 65536;
    const Word own = blockIdx.x * blockDim.x + threadIdx.x;
    Wide number = ((const Wide*)r.states)[own];
    const bool is_double = r.form == UNIFORM_DOUBLE || r.form == NORMAL_DOUBLE || r.form == LOG_NORMAL_DOUBLE;
#pragma unroll 1
    for (Wide turn = (own - (Word)r.sequence) % SEQUENCES; 4 * turn < r.count + r.given; turn += SEQUENCES) {
        // The first turn of the call may have given numbers before, the last one may not give all.
        const Wide first = 4 * turn;
        auto is_in = [&](Wide e) { return first + e >= r.given && first + e < r.count + r.given; };
#pragma unroll 1
        for (int half = 0; half < 2; ++half) {
            const uint4 w = philox_words(number + (is_double ? half : 0), own, r.seed);
            const Wide e = 2 * half, to = first + e - r.given;
            const Word x = half && !is_double ? w.z : w.x, y = half && !is_double ? w.w : w.y;
            if (r.form == BITS) {
                if (is_in(e)) ((Word*)r.to)[to] = x;
                if (is_in(e + 1)) ((Word*)r.to)[to + 1] = y;
            } else if (r.form == UNIFORM) {
                if (is_in(e)) ((float*)r.to)[to] = uniform(x);
                if (is_in(e + 1)) ((float*)r.to)[to + 1] = uniform(y);
            } else if (r.form == UNIFORM_DOUBLE) {
                if (is_in(e)) ((double*)r.to)[to] = uniform_double(w.x, w.y);
                if (is_in(e + 1)) ((double*)r.to)[to + 1] = uniform_double(w.z, w.w);
            } else if (!is_double) {
                const float2 pair = normal(x, y);
                if (is_in(e)) store(r, to, pair.x);
                if (is_in(e + 1)) store(r, to + 1, pair.y);
            } else {
                const double2 pair = normal_double(w.x, w.y, w.z, w.w);
                if (is_in(e)) store(r, to, pair.x);
                if (is_in(e + 1)) store(r, to + 1, pair.y);
            }
        }
        if (first + 4 <= r.count + r.given) number += is_double ? 2 : 1;
    }
    ((Wide*)r.states)[own] = number;
}

// Numbers of a word of a Sobol sequence. A normal one is the inverse of the distribution, of the half that has more digits.
__device__ float single_of(Word x) { return uniform(x); }
__device__ float single_of(Wide x) { return uniform((Word)(x >> 32)); }
__device__ double wide_of(Word x) { return x * 2.3283064365386963e-10 + 2.3283064365386963e-10; }
__device__ double wide_of(Wide x) { return (x >> 11) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0; }

__device__ __noinline__ float normal_of(Word x) {
    const bool is_upper = x > 0x80000000;
    return (is_upper ? 1.4142135f : -1.4142135f) * erfcinvf(2.0f * uniform(is_upper ? ~x : x));
}
__device__ float normal_of(Wide x) { return normal_of((Word)(x >> 32)); }

__device__ __noinline__ double normal_double_of(double p, bool is_upper) { return (is_upper ? 1.4142135623730951 : -1.4142135623730951) * erfcinv(2.0 * p); }
__device__ double normal_double_of(Word x) {
    const bool is_upper = x > 0x80000000;
    return normal_double_of((is_upper ? ~x : x) * 2.3283064365386963e-10 + 2.3283064365386963e-10 / 2.0, is_upper);
}
__device__ double normal_double_of(Wide x) {
    const Wide kept = x >> 11;
    const bool is_upper = kept > 0x10000000000000;
    return normal_double_of((is_upper ? 0x1fffffffffffff - kept : kept) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0, is_upper);
}

// Row y of the grid owns dimension y, whose `count` numbers follow those of the dimension before. The threads of the row share its points. A point
// is the sum of the direction vectors that the Gray code of its number names.
template <typename W>
__device__ void sobol(const Request& r) {
    constexpr int BITS_OF_WORD = 8 * sizeof(W);
    __shared__ W vectors[BITS_OF_WORD];
    if (threadIdx.x < BITS_OF_WORD) vectors[threadIdx.x] = ((const W*)r.states)[blockIdx.y * BITS_OF_WORD + threadIdx.x];
    __syncthreads();
#pragma unroll 1
    for (Wide i = blockIdx.x * blockDim.x + threadIdx.x; i < r.count; i += gridDim.x * blockDim.x) {
        const W number = (W)(r.given + i);
        W x = 0;
#pragma unroll 1
        for (W left = number ^ number >> 1, k = 0; left; left >>= 1, ++k) {
            if (left & 1) x ^= vectors[k];
        }
        const Wide to = blockIdx.y * r.count + i;
        if (r.form == BITS) {
            ((W*)r.to)[to] = x;
        } else if (r.form == UNIFORM) {
            ((float*)r.to)[to] = single_of(x);
        } else if (r.form == UNIFORM_DOUBLE) {
            ((double*)r.to)[to] = wide_of(x);
        } else if (r.form == NORMAL || r.form == LOG_NORMAL) {
            store(r, to, normal_of(x));
        } else {
            store(r, to, normal_double_of(x));
        }
    }
}

extern "C" __global__ void __launch_bounds__(256) sobol32(const Request r) { sobol<Word>(r); }
extern "C" __global__ void __launch_bounds__(256) sobol64(const Request r) { sobol<Wide>(r); }
