"""PyCUDA on the simulated driver: its kernels go through `nvcc -cubin`, in whose place the nvcc of `sim` writes PTX. Answers against NumPy."""

import numpy as np
import pycuda.autoinit  # noqa: F401 (makes a context, as PyCUDA's users write it)
import pycuda.cumath as cumath
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
from programs import equal, run
from pycuda.compiler import SourceModule, compile as compile_source
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

random = np.random.default_rng(11)
module = SourceModule("""
__constant__ float weights[4];
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
__global__ void weigh(float *x) { x[threadIdx.x] *= weights[threadIdx.x % 4]; }
__global__ void transpose(const float *x, float *y, int n) {
    __shared__ float tile[16][17];
    tile[threadIdx.y][threadIdx.x] = x[(blockIdx.y * 16 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x];
    __syncthreads();
    y[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
""")


def floats(*shape):
    return random.standard_normal(shape).astype(np.float32)


def check_module():
    x = floats(256)
    out = x.copy()
    module.get_function("twice")(cuda.InOut(out), block=(256, 1, 1), grid=(1, 1))
    equal(out, 2 * x, 0)


def check_constant_memory():
    x, weights = floats(64), floats(4)
    at, _ = module.get_global("weights")
    cuda.memcpy_htod(at, weights)
    out = x.copy()
    module.get_function("weigh")(cuda.InOut(out), block=(64, 1, 1))
    equal(out, x * np.tile(weights, 16))


def check_shared_memory():
    x, out = floats(64, 64), np.empty((64, 64), np.float32)
    module.get_function("transpose")(cuda.In(x), cuda.Out(out), np.int32(64), block=(16, 16, 1), grid=(4, 4))
    equal(out, x.T, 0)


def check_prepared_call():
    x = floats(32)
    at = cuda.to_device(x)
    function = module.get_function("twice").prepare("P")
    function.prepared_call((1, 1), (32, 1, 1), at)
    equal(cuda.from_device_like(at, x), 2 * x, 0)


def check_arrays():
    a, b = floats(1000), floats(1000)
    x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    equal((x + 2 * y - x * y / 3).get(), a + 2 * b - a * b / 3)
    equal((x > y).get(), (a > b), 0)
    equal(abs(x).get(), abs(a), 0)


def check_slices_and_fills():
    x = gpuarray.zeros(100, np.int32)
    x[10:20].fill(7)
    x += gpuarray.arange(100, dtype=np.int32)
    want = np.arange(100)
    want[10:20] += 7
    equal(x.get(), want, 0)
    equal(gpuarray.if_positive(x - 50, x, -x).get(), np.where(want > 50, want, -want), 0)


def check_reductions():
    a, b = floats(5000), floats(5000)
    x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    equal(gpuarray.sum(x).get(), a.sum(dtype=np.float64), 1e-3)
    equal(gpuarray.dot(x, y).get(), a.astype(np.float64) @ b, 1e-3)
    equal(gpuarray.max(x).get(), a.max(), 0)
    kernel = ReductionKernel(np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*x[i]", arguments="float *x")
    equal(kernel(x).get(), (a.astype(np.float64) ** 2).sum(), 1e-3)


def check_elementwise_kernel():
    a, b = floats(777), floats(777)
    x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    out = gpuarray.empty_like(x)
    ElementwiseKernel("float a, float *x, float *y, float *z", "z[i] = a * x[i] + sin(y[i])", "combine")(np.float32(5), x, y, out)
    equal(out.get(), 5 * a + np.sin(b))


def check_scan():
    a = random.integers(0, 9, 3000).astype(np.int32)
    x = gpuarray.to_gpu(a)
    InclusiveScanKernel(np.int32, "a+b")(x)
    equal(x.get(), np.cumsum(a), 0)


def check_functions():
    a = np.abs(floats(500)) + 0.1
    x = gpuarray.to_gpu(a)
    equal(cumath.sqrt(x).get(), np.sqrt(a))
    equal(cumath.exp(x).get(), np.exp(a), 1e-4)
    equal(cumath.log(x).get(), np.log(a))


def check_complex_arrays():
    a = (floats(200) + 1j * floats(200)).astype(np.complex64)
    x = gpuarray.to_gpu(a)
    equal((x * x.conj()).real.get(), (a * a.conj()).real)


def check_streams_events_and_pinned_memory():
    stream, begin, end = cuda.Stream(), cuda.Event(), cuda.Event()
    host = cuda.pagelocked_empty(1024, np.float32)
    host[:] = 3
    at = cuda.mem_alloc(host.nbytes)
    begin.record(stream)
    cuda.memcpy_htod_async(at, host, stream)
    module.get_function("twice")(at, block=(1024, 1, 1), stream=stream)
    cuda.memcpy_dtoh_async(host, at, stream)
    end.record(stream)
    end.synchronize()
    equal(host, np.full(1024, 6), 0)
    assert end.time_since(begin) > 0


def check_managed_memory():
    x = cuda.managed_empty(32, np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL)
    x[:] = np.arange(32)
    module.get_function("twice")(x, block=(32, 1, 1))
    cuda.Context.synchronize()
    equal(x, 2 * np.arange(32), 0)


def check_ptx():
    image = compile_source("__global__ void set(int *x) { x[threadIdx.x] = 7; }", target="ptx")
    out = np.zeros(32, np.int32)
    cuda.module_from_buffer(image).get_function("set")(cuda.Out(out), block=(32, 1, 1))
    equal(out, [7] * 32, 0)


def check_device():
    device = cuda.Device(0)
    assert device.name() and device.total_memory() > 2**30 and device.get_attribute(cuda.device_attribute.WARP_SIZE) == 32
    function = module.get_function("transpose")
    assert function.shared_size_bytes == 16 * 17 * 4


run("PyCUDA 2026.1", globals())
