// Sums over groups of 64 threads: cooperative groups keep their barriers and partial sums in shared memory of the system's
// own, which lies apart from the kernel's static and dynamic arrays.
// launch: grid 2 block 128 shared 512
// arg: int sums[256]
// arg: int kept[256]
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void sums_of_64(int* sums, int* kept) {
    __shared__ cg::block_tile_memory<128> scratch;
    __shared__ int fixed[128];
    extern __shared__ int dynamic[];
    int i = threadIdx.x;
    fixed[i] = i;
    dynamic[i] = 1000 + i;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(scratch));
    int sum = cg::reduce(tile, i, cg::plus<int>());
    tile.sync();
    sums[128 * blockIdx.x + i] = sum;
    kept[128 * blockIdx.x + i] = fixed[i] + dynamic[i];
}
