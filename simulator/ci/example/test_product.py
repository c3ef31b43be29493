"""Libraries of NVIDIA under sim: a product by cuBLAS runs, because sim has a stand-in for it; cuFFT is machine code alone, and its test is skipped."""

import cupy
import numpy as np
import pytest


def test_product():
    a = np.arange(15, dtype=np.float32).reshape(3, 5)
    b = np.arange(20, dtype=np.float32).reshape(5, 4)
    np.testing.assert_array_equal((cupy.asarray(a) @ cupy.asarray(b)).get(), a @ b)


@pytest.mark.needs_machine_code("cuFFT has no PTX")
def test_transform():
    a = np.arange(8, dtype=np.complex64)
    np.testing.assert_allclose(cupy.fft.fft(cupy.asarray(a)).get(), np.fft.fft(a), rtol=1e-5)
