// The kernels of the cuRAND stand-in: XORWOW and Philox4x32-10 in the order in which cuRAND's host interface gives numbers.
//
// A generator is many sequences, and a thread owns one: 4096 of XORWOW, 2^67 numbers apart, and 65536 of Philox, one for each value of a
// word of its counter. The sequences take turns. A turn is one number of XORWOW, or one pair of normal ones, and four of Philox. How far a
// sequence is stays in memory between calls; a turn that a call leaves unfinished begins anew in the next.
//
// Constants and formulas are those of the published algorithms and of cuRAND's documented device interface.

typedef unsigned int Word;
typedef unsigned long long Wide;

enum Form { BITS, UNIFORM, UNIFORM_DOUBLE, NORMAL, NORMAL_DOUBLE, LOG_NORMAL, LOG_NORMAL_DOUBLE };

struct Request {
    // XORWOW: six words for each sequence, word by word; Philox: a number of four words for each.
    void* states;
    void* to;
    Wide count;
    // The sequence whose turn it is, and the numbers that its turn has given.
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

// Two normal numbers of two words, or of four, by Box and Muller.
__device__ float2 normal(Word x, Word y) {
    const float angle = y * (2.3283064e-10f * 6.2831855f) + 2.3283064e-10f * 6.2831855f / 2;
    const float size = sqrtf(-2.0f * logf(uniform(x)));
    float2 pair;
    __sincosf(angle, &pair.x, &pair.y);
    pair.x *= size;
    pair.y *= size;
    return pair;
}

__device__ __noinline__ double2 normal_double(Word x0, Word x1, Word y0, Word y1) {
    const Wide z = y0 ^ (Wide)y1 << 21;
    const double angle = z * (1.1102230246251565e-16 * 2.0) + 1.1102230246251565e-16;
    const double size = sqrt(-2.0 * log(uniform_double(x0, x1)));
    double2 pair;
    sincospi(angle, &pair.x, &pair.y);
    pair.x *= size;
    pair.y *= size;
    return pair;
}

__device__ void store(const Request& r, Wide i, float value) {
    const float moved = (float)r.mean + (float)r.deviation * value;
    ((float*)r.to)[i] = r.form == LOG_NORMAL ? expf(moved) : moved;
}

__device__ void store(const Request& r, Wide i, double value) {
    const double moved = r.mean + r.deviation * value;
    ((double*)r.to)[i] = r.form == LOG_NORMAL_DOUBLE ? exp(moved) : moved;
}

// Thread t owns sequence t: 4096 threads.
extern "C" __global__ void __launch_bounds__(256) xorwow(const Request r) {
    constexpr int SEQUENCES = 4096;
    const Word own = blockIdx.x * blockDim.x + threadIdx.x;
    Word* states = (Word*)r.states + own;
    Word d = states[0], v[5];
#pragma unroll
    for (int i = 0; i < 5; ++i) v[i] = states[SEQUENCES * (i + 1)];
    auto next = [&]() {
        const Word t = v[0] ^ v[0] >> 2;
#pragma unroll
        for (int i = 0; i < 4; ++i) v[i] = v[i + 1];
        v[4] = v[4] ^ v[4] << 4 ^ (t ^ t << 1);
        d += 362437;
        return v[4] + d;
    };
    const bool are_pairs = r.form >= NORMAL;
    const Wide turns = are_pairs ? r.count / 2 : r.count;
#pragma unroll 1
    for (Wide turn = (own - (Word)r.sequence) % SEQUENCES; turn < turns; turn += SEQUENCES) {
        const Word x = next();
        if (r.form == BITS) {
            ((Word*)r.to)[turn] = x;
        } else if (r.form == UNIFORM) {
            ((float*)r.to)[turn] = uniform(x);
        } else if (r.form == UNIFORM_DOUBLE) {
            ((double*)r.to)[turn] = uniform_double(x, next());
        } else if (r.form == NORMAL || r.form == LOG_NORMAL) {
            const float2 pair = normal(x, next());
            store(r, 2 * turn, pair.x);
            store(r, 2 * turn + 1, pair.y);
        } else {
            const Word x1 = next(), y0 = next(), y1 = next();
            const double2 pair = normal_double(x, x1, y0, y1);
            store(r, 2 * turn, pair.x);
            store(r, 2 * turn + 1, pair.y);
        }
    }
    states[0] = d;
#pragma unroll
    for (int i = 0; i < 5; ++i) states[SEQUENCES * (i + 1)] = v[i];
}

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
