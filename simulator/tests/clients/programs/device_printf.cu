// Text that a kernel prints comes out when the host waits, in order within a thread.
#include "check.h"
#include <cstring>
#include <string>
#include <unistd.h>
__global__ void greet(float x) { printf("thread %d of block %d: %.2f %s\n", threadIdx.x, blockIdx.x, x * threadIdx.x, "ok"); }
int main() {
    int pipes[2]; CHECK(pipe(pipes) == 0); fflush(stdout); int saved = dup(1); dup2(pipes[1], 1);
    greet<<<1, 3>>>(1.5f); CALL(cudaDeviceSynchronize());
    fflush(stdout); dup2(saved, 1); close(pipes[1]);
    std::string text; char buffer[256]; for (ssize_t n; (n = read(pipes[0], buffer, sizeof buffer)) > 0;) text.append(buffer, n);
    CHECK(text == "thread 0 of block 0: 0.00 ok\nthread 1 of block 0: 1.50 ok\nthread 2 of block 0: 3.00 ok\n");
}
