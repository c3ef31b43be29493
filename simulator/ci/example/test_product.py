"""Libraries of NVIDIA under sim: a product by cuBLAS and a transform by cuFFT run, because sim has stand-ins for them, and the host answers cuSOLVER; cuDNN is machine code alone, and its test is skipped."""

import cupy
import numpy as np
import pytest


def test_product():
    a = np.arange(15, dtype=np.float32).reshape(3, 5)
    b = np.arange(20, dtype=np.float32).reshape(5, 4)
    np.testing.assert_array_equal((cupy.asarray(a) @ cupy.asarray(b)).get(), a @ b)


def test_transform():
    a = np.arange(8, dtype=np.complex64)
    np.testing.assert_allclose(cupy.fft.fft(cupy.asarray(a)).get(), np.fft.fft(a), rtol=1e-5)


def test_equation():
    a, b = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([3.0, 4.0])
    np.testing.assert_allclose(cupy.linalg.solve(cupy.asarray(a), cupy.asarray(b)).get(), np.linalg.solve(a, b))


@pytest.mark.needs_machine_code("cuDNN has no PTX")
def test_convolution():
    import cudnn

    cudnn.create_handle()
