// A stencil in two buffers with the grid's barrier between the steps.
// requires: sm_60
// launch: cooperative grid 4 block 32
// arg: float a[128] = iota
// arg: float b[128]
// arg: int steps = 5
#include <cooperative_groups.h>
extern "C" __global__ void smooth(float* a, float* b, int steps) {
    int i = blockIdx.x * 32 + threadIdx.x;
    for (int step = 0; step < steps; ++step) {
        float left = i > 0 ? a[i - 1] : a[i];
        float right = i < 127 ? a[i + 1] : a[i];
        b[i] = (left + a[i] + right) / 3;
        cooperative_groups::this_grid().sync();
        float* other = a;
        a = b;
        b = other;
    }
}
