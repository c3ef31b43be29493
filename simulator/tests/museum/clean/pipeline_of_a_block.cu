// The pipeline of a block brings tiles two at a time; the thread that leaves it last ends its barriers.
// requires: sm_80
// launch: grid 1 block 64
// arg: int out[64]
// arg: int in[256] = iota
#include <cooperative_groups.h>
#include <cuda/pipeline>

extern "C" __global__ void sums(int* out, const int* in) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int tile[2][64];
    auto block = cooperative_groups::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int next = 0, step = 0; step < 4; step++) {
        for (; next < 4 && next < step + 2; next++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, tile[next % 2], in + 64 * next, sizeof tile[0], pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += tile[step % 2][63 - threadIdx.x];
        pipeline.consumer_release();
    }
    out[threadIdx.x] = sum;
}
