// Launches kernels that the host's C++ compiler made. Input: a count, then for each launch five 32-bit numbers (kernel,
// blocks, threads, words in, words out) and the words in. Output: the words out of each, which begin as zeros.
#include "launch.h"
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <vector>

Index threadIdx, blockIdx, blockDim, gridDim;
extern Entry kernels[];

namespace {
struct Thread {
    ucontext_t context;
    bool ended, in_block_meeting, in_lane_meeting;
    u32 vote, mask, answer, voters;
    u64 value, seen[32];
};
const u32 MOST_THREADS = 128;
const size_t STACK_BYTES = 1 << 16;
Thread threads[MOST_THREADS];
char stacks[MOST_THREADS][STACK_BYTES] __attribute__((aligned(64)));
ucontext_t scheduler;
u32 current;
Entry entry;
const u64 *entry_in;
u64 *entry_out;

void body() {
    entry(entry_in, entry_out);
    threads[current].ended = true;
    // The context's link leads back to the scheduler.
}

void pause() {
    const u32 self = current;
    swapcontext(&threads[self].context, &scheduler);
}

// Lets the block's meeting end once every thread that has not ended is in it.
void settle_block() {
    u32 votes = 0, voters = 0;
    for (u32 i = 0; i < blockDim.x; ++i) {
        if (threads[i].ended) continue;
        if (!threads[i].in_block_meeting) return;
        votes += threads[i].vote != 0;
        ++voters;
    }
    for (u32 i = 0; i < blockDim.x; ++i) {
        threads[i].in_block_meeting = false;
        threads[i].answer = votes;
        threads[i].voters = voters;
    }
}

void run_block() {
    for (u32 i = 0; i < blockDim.x; ++i) {
        Thread &thread = threads[i];
        thread.ended = thread.in_block_meeting = thread.in_lane_meeting = false;
        getcontext(&thread.context);
        thread.context.uc_stack.ss_sp = stacks[i];
        thread.context.uc_stack.ss_size = STACK_BYTES;
        thread.context.uc_link = &scheduler;
        makecontext(&thread.context, body, 0);
    }
    for (;;) {
        bool progress = false, alive = false;
        for (u32 i = 0; i < blockDim.x; ++i) {
            Thread &thread = threads[i];
            alive |= !thread.ended;
            if (thread.ended || thread.in_block_meeting || thread.in_lane_meeting) continue;
            progress = true;
            current = i;
            threadIdx.x = i;
            swapcontext(&scheduler, &thread.context);
            settle_block();
        }
        if (!alive) return;
        if (!progress) {
            fprintf(stderr, "the threads wait for each other for ever\n");
            exit(3);
        }
    }
}
} // namespace

u32 meet_block(u32 vote, u32 *voters) {
    Thread &self = threads[current];
    self.vote = vote;
    self.in_block_meeting = true;
    pause();
    if (voters) *voters = self.voters;
    return self.answer;
}

const u64 *meet_lanes(u32 mask, u64 value) {
    Thread &self = threads[current];
    const u32 first = current & ~31u;
    self.value = value;
    self.mask = mask;
    self.in_lane_meeting = true;
    bool complete = true;
    for (u32 lane = 0; lane < 32; ++lane) {
        if (!(mask >> lane & 1)) continue;
        const u32 other = first + lane;
        complete &= other < blockDim.x && threads[other].in_lane_meeting && threads[other].mask == mask;
    }
    if (!complete) {
        pause();
        return self.seen;
    }
    u64 seen[32] = {0};
    for (u32 lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1) seen[lane] = threads[first + lane].value;
    for (u32 lane = 0; lane < 32; ++lane) {
        if (!(mask >> lane & 1)) continue;
        memcpy(threads[first + lane].seen, seen, sizeof seen);
        threads[first + lane].in_lane_meeting = false;
    }
    return self.seen;
}

static u32 number() {
    u32 value;
    if (fread(&value, sizeof value, 1, stdin) != 1) {
        fprintf(stderr, "the input is too short\n");
        exit(2);
    }
    return value;
}

int main() {
    const u32 launches = number();
    for (u32 launch = 0; launch < launches; ++launch) {
        const u32 kernel = number(), blocks = number(), count = number(), words_in = number(), words_out = number();
        std::vector<u64> in(words_in), out(words_out, 0);
        if (count > MOST_THREADS || fread(in.data(), 8, words_in, stdin) != words_in) return 2;
        entry = kernels[kernel];
        entry_in = in.data();
        entry_out = out.data();
        gridDim = {blocks, 1, 1};
        blockDim = {count, 1, 1};
        for (u32 block = 0; block < blocks; ++block) {
            blockIdx = {block, 0, 0};
            run_block();
        }
        fwrite(out.data(), 8, words_out, stdout);
    }
    return fflush(stdout) == 0 ? 0 : 2;
}
