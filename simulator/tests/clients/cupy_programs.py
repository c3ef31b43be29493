"""CuPy 12, whose wheel loads the runtime library from outside, and 13 and 14, which have NVIDIA's linked in: elements, reductions, Thrust and CUB
inside it, products and random numbers, kernels of one's own.

What goes through cuSOLVER and cuSPARSE is answered on the host.
"""

import cupy as cp
import numpy as np
from programs import equal, run

random = np.random.default_rng(11)


def data(*shape):
    return random.standard_normal(shape).astype(np.float32)


def check_arange():
    equal(cp.arange(10).get(), np.arange(10))


def check_add():
    a, b = data(1000), data(1000)
    equal((cp.asarray(a) + cp.asarray(b)).get(), a + b)


def check_broadcast():
    a, b = data(7, 1), data(1, 9)
    equal((cp.asarray(a) * cp.asarray(b)).get(), a * b)


def check_functions():
    a = data(100)
    equal(cp.sin(cp.exp(cp.asarray(a))).get(), np.sin(np.exp(a)), 1e-4)


def check_sums():
    a = data(37, 41)
    for axis in (None, 0, 1):
        equal(cp.asarray(a).sum(axis=axis).get(), a.sum(axis=axis), 1e-4)


def check_largest():
    a = data(1000)
    equal(cp.argmax(cp.asarray(a)).get(), a.argmax())
    equal(cp.asarray(a).max().get(), a.max())


def check_mean_and_deviation():
    a = data(20, 30)
    equal(cp.asarray(a).mean(axis=1).get(), a.mean(axis=1))
    equal(cp.asarray(a).std().get(), a.std(), 1e-4)


def check_sort():
    a = data(1000)
    equal(cp.sort(cp.asarray(a)).get(), np.sort(a))
    equal(cp.argsort(cp.asarray(a)).get(), np.argsort(a))


def check_prefix_sums():
    a = random.integers(0, 9, 3000)
    equal(cp.cumsum(cp.asarray(a)).get(), np.cumsum(a))


def check_unique():
    a = random.integers(0, 9, 50)
    equal(cp.unique(cp.asarray(a)).get(), np.unique(a))


def check_histogram():
    a = data(300)
    equal(cp.histogram(cp.asarray(a), bins=5)[0].get(), np.histogram(a, bins=5)[0])


def check_percentile():
    a = data(101)
    equal(cp.percentile(cp.asarray(a), 30).get(), np.percentile(a, 30))


def check_where():
    a = data(100)
    equal(cp.where(cp.asarray(a) > 0, 1, 0).get(), np.where(a > 0, 1, 0))


def check_index_lists():
    a, rows = data(10, 10), [1, 3, 5]
    equal(cp.asarray(a)[rows].get(), a[rows])


def check_masks():
    a = data(64)
    equal(cp.asarray(a)[cp.asarray(a) > 0].get(), a[a > 0])


def check_add_at():
    a = cp.zeros(5)
    cp.add.at(a, cp.array([1, 1, 3]), 1.0)
    equal(a.get(), [0, 2, 0, 1, 0])


def check_concatenate_and_transpose():
    a, b = data(3, 4), data(5, 4)
    equal(cp.concatenate([cp.asarray(a), cp.asarray(b)]).T.get(), np.concatenate([a, b]).T)


# A kernel of CuPy's own does it, and cuBLAS has to be there all the same.
def check_products_of_integers():
    a = random.integers(0, 9, (8, 8))
    equal((cp.asarray(a) @ cp.asarray(a)).get(), a @ a)


def check_products():
    for dtype, error in ((np.float64, 1e-13), (np.float32, 1e-5), (np.float16, 2e-3)):
        a, b = data(70, 90).astype(dtype), data(90, 50).astype(dtype)
        want = a.astype(np.float64) @ b.astype(np.float64)
        equal(cp.matmul(cp.asarray(a), cp.asarray(b)).get(), want, 20 * error)
        equal((cp.asarray(b).T @ cp.asarray(a).T).get(), want.T, 20 * error)
        x, y = data(6, 20, 30).astype(dtype), data(6, 30, 10).astype(dtype)
        equal(cp.matmul(cp.asarray(x), cp.asarray(y)).get(), x.astype(np.float64) @ y.astype(np.float64), 20 * error)
        equal(float(cp.dot(cp.asarray(a[0]), cp.asarray(a[1]))), a[0].astype(np.float64) @ a[1].astype(np.float64), 20 * error)


def check_transforms():
    for shape in ((60,), (7, 48), (6, 10, 14)):
        a = data(*shape) + 1j * data(*shape)
        for dtype, error in ((np.complex64, 1e-5), (np.complex128, 1e-13)):
            x = cp.asarray(a.astype(dtype))
            equal(cp.fft.fftn(x).get(), np.fft.fftn(a.astype(dtype)), 100 * error)
            equal(cp.fft.ifftn(x).get(), np.fft.ifftn(a.astype(dtype)), 100 * error)
            equal(cp.fft.fft(x, axis=0).get(), np.fft.fft(a.astype(dtype), axis=0), 100 * error)
        real = a.real.astype(np.float32)
        there = cp.fft.rfftn(cp.asarray(real))
        equal(there.get(), np.fft.rfftn(real), 1e-3)
        equal(cp.fft.irfftn(there, s=shape).get(), real, 1e-5)


def check_linear_algebra():
    for dtype, error in ((np.float32, 1e-4), (np.float64, 1e-11), (np.complex64, 1e-4), (np.complex128, 1e-11)):
        a = (data(12, 9) + (1j * data(12, 9) if np.dtype(dtype).kind == "c" else 0)).astype(dtype)
        square, b = a[:9], a[9:].T.copy()
        positive, x = a.T.conj() @ a, cp.asarray
        equal(cp.linalg.solve(x(square), x(b)).get(), np.linalg.solve(square, b), 50 * error)
        equal(cp.linalg.inv(x(positive)).get(), np.linalg.inv(positive), 50 * error)
        equal(cp.linalg.det(x(square)).get(), np.linalg.det(square), 50 * error)
        equal(cp.linalg.cholesky(x(positive)).get(), np.linalg.cholesky(positive), error)
        equal(cp.linalg.eigvalsh(x(positive)).get(), np.linalg.eigvalsh(positive), 50 * error)
        equal(cp.linalg.lstsq(x(a), x(a[:, :2]), rcond=None)[0].get(), np.linalg.lstsq(a, a[:, :2], rcond=None)[0], 50 * error)
        q, r = (part.get() for part in cp.linalg.qr(x(a), mode="complete"))
        equal(q @ r, a, error)
        equal(q.T.conj() @ q, np.eye(12), error)
        for whole in (True, False):
            u, s, v = (part.get() for part in cp.linalg.svd(x(a), full_matrices=whole))
            equal((u[:, :9] * s) @ v, a, error)
            equal(u.T.conj() @ u, np.eye(u.shape[1]), error)


def check_sparse_matrices():
    import cupyx.scipy.sparse as sparse

    a, b = np.round(data(20, 30)) * (random.random((20, 30)) < 0.3), np.round(data(30, 20)) * (random.random((30, 20)) < 0.3)
    for make in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix):
        left, right = make(cp.asarray(a)), make(cp.asarray(b))
        equal((left @ cp.asarray(b)).get(), a @ b)
        equal((left @ cp.asarray(b[:, 0])).get(), a @ b[:, 0])
        equal((left @ right).toarray().get(), a @ b)
        equal((left + right.T).toarray().get(), a + b.T)
        equal(left.tocsc().tocoo().tocsr().toarray().get(), a)


def check_random():
    generator = cp.random.RandomState(7)
    values = generator.random_sample(100_000).get()
    assert abs(values.mean() - 0.5) < 0.005 and abs(values.std() - 12**-0.5) < 0.005
    normal = generator.standard_normal(100_000, dtype=np.float32).get()
    assert abs(normal.mean()) < 0.02 and abs(normal.std() - 1) < 0.02
    equal(np.sort(cp.random.permutation(100).get()), np.arange(100))


def check_half():
    a = data(64).astype(np.float16)
    equal((cp.asarray(a) * 2).get(), a * 2)


def check_complex():
    a = (data(32) + 1j * data(32)).astype(np.complex64)
    equal(cp.abs(cp.asarray(a) * cp.asarray(a)).get(), np.abs(a * a), 1e-4)


def check_kernel_of_elements():
    kernel = cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_difference")
    a, b = data(50), data(50)
    equal(kernel(cp.asarray(a), cp.asarray(b)).get(), (a - b) ** 2)


def check_kernel_of_a_reduction():
    kernel = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "euclidean_norm")
    a = data(500)
    equal(kernel(cp.asarray(a)).get(), np.linalg.norm(a), 1e-4)


def check_raw_kernel():
    source = r"""
    extern "C" __global__ void twice(const float* from, float* to, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) to[i] = 2 * from[i];
    }"""
    a = data(100)
    got = cp.zeros(100, dtype=np.float32)
    cp.RawKernel(source, "twice")((1,), (128,), (cp.asarray(a), got, 100))
    equal(got.get(), 2 * a)


def check_raw_module_with_a_constant():
    source = r"""
    __constant__ float factor[4];
    extern "C" __global__ void scale(float* x) { x[threadIdx.x] *= factor[threadIdx.x % 4]; }"""
    module = cp.RawModule(code=source)
    address = module.get_global("factor")
    factor = cp.ndarray(4, np.float32, address)
    factor[...] = cp.asarray([1, 2, 3, 4], dtype=np.float32)
    got = cp.ones(8, dtype=np.float32)
    module.get_function("scale")((1,), (8,), (got,))
    equal(got.get(), [1, 2, 3, 4, 1, 2, 3, 4])


def weighted(x, y):
    return (x + y) * x


def check_fused_function():
    a, b = data(40), data(40)
    equal(cp.fuse(weighted)(cp.asarray(a), cp.asarray(b)).get(), (a + b) * a)


def check_streams_and_events():
    stream, begin, end = cp.cuda.Stream(non_blocking=True), cp.cuda.Event(), cp.cuda.Event()
    with stream:
        begin.record()
        got = cp.arange(1 << 16, dtype=np.float32) * 3
        end.record()
    end.synchronize()
    assert cp.cuda.get_elapsed_time(begin, end) > 0
    equal(got.get(), np.arange(1 << 16, dtype=np.float32) * 3)


def check_page_locked_memory():
    memory = cp.cuda.alloc_pinned_memory(4096)
    host = np.frombuffer(memory, np.float32, 1024)
    host[...] = np.arange(1024)
    got = cp.empty(1024, dtype=np.float32)
    got.set(host)
    equal(got.get(), np.arange(1024))


def check_memory_pool():
    pool = cp.get_default_memory_pool()
    a = cp.zeros(1 << 12)
    assert pool.used_bytes() >= a.nbytes
    del a
    pool.free_all_blocks()


def check_texture():
    from cupy.cuda import texture

    source = r"""
    extern "C" __global__ void fetch(cudaTextureObject_t from, float* to) {
        int x = threadIdx.x, y = threadIdx.y;
        to[y * blockDim.x + x] = tex2D<float>(from, x + 0.5f, y + 0.5f);
    }"""
    a = data(4, 8)
    channel = texture.ChannelFormatDescriptor(32, 0, 0, 0, cp.cuda.runtime.cudaChannelFormatKindFloat)
    array = texture.CUDAarray(channel, 8, 4)
    array.copy_from(a)
    resource = texture.ResourceDescriptor(cp.cuda.runtime.cudaResourceTypeArray, cuArr=array)
    clamp = cp.cuda.runtime.cudaAddressModeClamp
    how = texture.TextureDescriptor((clamp, clamp), cp.cuda.runtime.cudaFilterModePoint, cp.cuda.runtime.cudaReadModeElementType)
    got = cp.zeros((4, 8), dtype=np.float32)
    cp.RawKernel(source, "fetch")((1,), (8, 4), (texture.TextureObject(resource, how), got))
    equal(got.get(), a)


run(f"CuPy {cp.__version__}", globals())
