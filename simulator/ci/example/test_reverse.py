"""A race that a card may hide: `pytest --sim-sanitize` fails test_reverse by name, and nothing else."""

import numpy as np
from numba import cuda, float32


@cuda.jit
def reverse(a):
    tile = cuda.shared.array(64, float32)
    i = cuda.threadIdx.x
    tile[i] = a[i]
    # A cuda.syncthreads() is missing here.
    a[i] = tile[63 - i]


@cuda.jit
def double(a):
    a[cuda.threadIdx.x] *= 2


def test_double():
    a = cuda.to_device(np.ones(64, np.float32))
    double[1, 64](a)
    assert (a.copy_to_host() == 2).all()


def test_reverse():
    a = cuda.to_device(np.arange(64, dtype=np.float32))
    reverse[1, 64](a)
    a.copy_to_host()
