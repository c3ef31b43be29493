// What a kernel sees of its launch when the host's C++ compiler made it: each thread of a block is a fibre, and a meeting
// of lanes or of the block lets the others run until all have come.
#pragma once
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef long long i64;

struct Index {
    u32 x, y, z;
};
extern Index threadIdx, blockIdx, blockDim, gridDim;

// Waits for all threads of the block that have not ended, and gives the number of those whose `vote` is not zero; with
// `voters`, how many came.
u32 meet_block(u32 vote, u32 *voters = 0);
// Waits until the lanes of `mask` have come with the same mask, and gives what each brought, by lane. The array is the
// caller's until its next meeting.
const u64 *meet_lanes(u32 mask, u64 value);

typedef void (*Entry)(const u64 *in, u64 *out);
