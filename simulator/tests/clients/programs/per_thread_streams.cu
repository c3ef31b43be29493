// nvcc: --default-stream per-thread
// Threads of the host whose default streams are their own.
#include "check.h"
#include <thread>
#include <vector>
__global__ void add(int *x, int by) { atomicAdd(&x[threadIdx.x], by); }
int main() {
    int *x, y[32]; CALL(cudaMalloc(&x, 128)); CALL(cudaMemset(x, 0, 128)); CALL(cudaDeviceSynchronize());
    std::vector<std::thread> threads;
    for (int t = 1; t <= 4; t++) threads.emplace_back([=] { for (int i = 0; i < 20; i++) add<<<1, 32>>>(x, t); CALL(cudaStreamSynchronize(0)); });
    for (auto &t : threads) t.join();
    CALL(cudaMemcpy(y, x, 128, cudaMemcpyDeviceToHost)); CHECK(y[0] == 200 && y[31] == 200);
}
