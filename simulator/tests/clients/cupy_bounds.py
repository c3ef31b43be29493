"""An array of 1000 elements and 1024 threads, with a guard where `guarded` is asked for: CuPy's pool would round the array up."""

import sys

import cupy as cp

guard = "if (i < 1000)" if "guarded" in sys.argv else ""
twice = cp.RawKernel('extern "C" __global__ void twice(float *x) { int i = threadIdx.x; %s x[i] *= 2; }' % guard, "twice")
x = cp.ones(1000, dtype=cp.float32)
twice((1,), (1024,), (x,))
assert float(x.sum()) == 2000
