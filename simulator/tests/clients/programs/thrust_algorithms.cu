// nvcc: --std=c++17
// Thrust and CUB: sort, reduce, scan, transform, compare with the host's.
#include "check.h"
#include <algorithm>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
int main() {
    const int n = 5000; thrust::host_vector<int> h(n); for (int i = 0; i < n; i++) h[i] = (i * 7919) % 10007 - 5000;
    thrust::device_vector<int> d = h; CHECK(thrust::reduce(d.begin(), d.end()) == std::accumulate(h.begin(), h.end(), 0));
    thrust::sort(d.begin(), d.end()); thrust::host_vector<int> s = d; std::sort(h.begin(), h.end()); CHECK(s == h);
    thrust::device_vector<int> p(n); thrust::inclusive_scan(d.begin(), d.end(), p.begin()); int sum = std::accumulate(h.begin(), h.begin() + 1235, 0); CHECK(p[1234] == sum);
    thrust::transform(d.begin(), d.end(), p.begin(), thrust::negate<int>()); CHECK(p[0] == -h[0]);
}
