"""Triton's kernels: compiled to PTX by Triton alone, launched by the driver's interface, and as a user launches them; against NumPy."""

import ctypes

import numpy as np
import triton
import triton.language as tl
from programs import equal, run
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

cuda = ctypes.CDLL("libcuda.so.1")
random = np.random.default_rng(11)


def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code:
        words = ctypes.c_char_p()
        cuda.cuGetErrorString(code, ctypes.byref(words))
        raise RuntimeError(f"{name}: {code}: {words.value.decode()}")


context = ctypes.c_void_p()
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)

TYPES = {"float32": "*fp32", "float16": "*fp16", "int32": "*i32"}


def execute(kernel, grid, arrays, scalars=(), constants={}, warps=4):
    """Compiles for compute capability 8.0, copies the arrays there, launches, and copies them back."""
    names = kernel.arg_names
    kinds = [TYPES[a.dtype.name] for a in arrays] + ["i32" if isinstance(s, int) else "fp32" for s in scalars]
    signature = dict(zip(names, kinds)) | {name: "constexpr" for name in constants}
    source = ASTSource(fn=kernel, signature=signature, constexprs={(names.index(name),): value for name, value in constants.items()})
    compiled = triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": warps})
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuModuleLoadData", ctypes.byref(module), compiled.asm["ptx"].encode())
    call("cuModuleGetFunction", ctypes.byref(function), module, compiled.metadata.name.encode())
    shared = compiled.metadata.shared
    if shared > 48 << 10:
        call("cuFuncSetAttribute", function, 8, shared)
    places = []
    for array in arrays:
        place = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(array.nbytes))
        call("cuMemcpyHtoD_v2", place, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))
        places.append(place)
    # Behind the kernel's own parameters stand places for scratch memory, which none of these uses.
    values = places + [ctypes.c_int32(s) if isinstance(s, int) else ctypes.c_float(s) for s in scalars] + [ctypes.c_uint64(0)] * 2
    parameters = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
    gx, gy, gz = (*grid, 1, 1)[:3]
    call("cuLaunchKernel", function, gx, gy, gz, 32 * warps, 1, 1, shared, None, parameters, None)
    for array, place in zip(arrays, places):
        call("cuMemcpyDtoH_v2", array.ctypes.data_as(ctypes.c_void_p), place, ctypes.c_size_t(array.nbytes))
        call("cuMemFree_v2", place)
    call("cuModuleUnload", module)


def data(*shape, kind=np.float32):
    return random.standard_normal(shape).astype(kind)


@triton.jit
def add(x, y, z, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(z + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


def check_add():
    x, y, z = data(1000), data(1000), np.zeros(1000, np.float32)
    execute(add, (4,), [x, y, z], [1000], {"B": 256})
    equal(z, x + y)


def check_add_with_eight_warps():
    x, y, z = data(777), data(777), np.zeros(777, np.float32)
    execute(add, (1,), [x, y, z], [777], {"B": 1024}, warps=8)
    equal(z, x + y)


@triton.jit
def softmax(x, y, n, B: tl.constexpr):
    row = tl.program_id(0) * n
    i = tl.arange(0, B)
    v = tl.load(x + row + i, i < n, -float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + row + i, e / tl.sum(e, 0), i < n)


def check_softmax():
    x, y = data(9, 100), np.zeros((9, 100), np.float32)
    execute(softmax, (9,), [x, y], [100], {"B": 128})
    e = np.exp(x - x.max(1, keepdims=True))
    equal(y, e / e.sum(1, keepdims=True))


@triton.jit
def product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, T: tl.constexpr):
    m = tl.program_id(0) * T + tl.arange(0, T)
    n = tl.program_id(1) * T + tl.arange(0, T)
    k = tl.arange(0, T)
    s = tl.zeros((T, T), tl.float32)
    for at in range(0, K, T):
        s += tl.dot(tl.load(a + m[:, None] * K + (at + k)[None, :]), tl.load(b + (at + k)[:, None] * N + n[None, :]))
    tl.store(c + m[:, None] * N + n[None, :], s)


def check_product_in_half():
    a, b, c = data(64, 96, kind=np.float16), data(96, 32, kind=np.float16), np.zeros((64, 32), np.float32)
    execute(product, (2, 1), [a, b, c], [], {"M": 64, "N": 32, "K": 96, "T": 32})
    equal(c, a.astype(np.float32) @ b.astype(np.float32), 1e-3)


def check_product_in_tf32():
    a, b, c = data(32, 64), data(64, 32), np.zeros((32, 32), np.float32)
    execute(product, (2, 2), [a, b, c], [], {"M": 32, "N": 32, "K": 64, "T": 16})
    equal(c, a @ b, 5e-2)


@triton.jit
def total(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(y, tl.sum(tl.load(x + i, i < n, 0), 0))


def check_atomic_sum():
    x, y = random.integers(-50, 50, 900).astype(np.int32), np.zeros(1, np.int32)
    execute(total, (8,), [x, y], [900], {"B": 128})
    equal(y, [x.sum()])


@triton.jit
def norm(x, y, n, B: tl.constexpr):
    row = tl.program_id(0) * n
    i = tl.arange(0, B)
    v = tl.load(x + row + i, i < n, 0.0)
    mean = tl.sum(v, 0) / n
    centred = tl.where(i < n, v - mean, 0.0)
    tl.store(y + row + i, centred / tl.sqrt(tl.sum(centred * centred, 0) / n + 1e-5), i < n)


def check_layer_norm():
    x, y = data(5, 60), np.zeros((5, 60), np.float32)
    execute(norm, (5,), [x, y], [60], {"B": 64})
    equal(y, (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5), 1e-4)


@triton.jit
def scan(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.cumsum(tl.load(x + i), 0))


def check_cumulative_sum():
    x, y = random.integers(-9, 9, 512).astype(np.int32), np.zeros(512, np.int32)
    execute(scan, (1,), [x, y], [], {"B": 512})
    equal(y, np.cumsum(x))


@triton.jit
def turn(x, y, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    tl.store(y + n[:, None] * M + m[None, :], tl.trans(tl.load(x + m[:, None] * N + n[None, :])))


def check_transpose():
    x, y = data(16, 64), np.zeros((64, 16), np.float32)
    execute(turn, (1,), [x, y], [], {"M": 16, "N": 64})
    equal(y, x.T)


@triton.jit
def pick(x, i, y, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + at, tl.load(x + tl.load(i + at, at < n, 0)), at < n)


def check_gather():
    x, i, y = data(50), random.integers(0, 50, 300).astype(np.int32), np.zeros(300, np.float32)
    execute(pick, (3,), [x, i, y], [300], {"B": 128})
    equal(y, x[i])


@triton.jit
def extremes(x, y, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(y, tl.max(v, 0))
    tl.store(y + 1, tl.min(v, 0))
    tl.store(y + 2, tl.argmax(v, 0).to(tl.float32))


def check_extremes():
    x, y = data(256), np.zeros(3, np.float32)
    execute(extremes, (1,), [x, y], [], {"B": 256})
    equal(y, [x.max(), x.min(), x.argmax()])


@triton.jit
def functions(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(y + i, tl.sin(v) + tl.exp2(v) * tl.log(tl.abs(v) + 1.0) + tl.sqrt(tl.abs(v)) + tl.floor(v))


def check_functions():
    x, y = data(128), np.zeros(128, np.float32)
    execute(functions, (1,), [x, y], [], {"B": 128})
    equal(y, np.sin(x) + np.exp2(x) * np.log(np.abs(x) + 1) + np.sqrt(np.abs(x)) + np.floor(x), 1e-4)


@triton.jit
def bits(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(y + i, ((v << 3) ^ (v >> 2)) | (v & 5) + v % 7 + v // 3)


def check_integers():
    x, y = random.integers(0, 10000, 128).astype(np.int32), np.zeros(128, np.int32)
    execute(bits, (1,), [x, y], [], {"B": 128})
    equal(y, ((x << 3) ^ (x >> 2)) | (x & 5) + x % 7 + x // 3)


@triton.jit
def halves(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, (tl.load(x + i) * 2 + 1).to(tl.float16))


def check_conversion_to_half():
    x, y = data(64), np.zeros(64, np.float16)
    execute(halves, (1,), [x, y], [], {"B": 64})
    equal(y.astype(np.float32), (x * 2 + 1).astype(np.float16).astype(np.float32))


@triton.jit
def columns(x, y, n, M: tl.constexpr, N: tl.constexpr):
    c = tl.program_id(0) * N + tl.arange(0, N)
    s = tl.zeros((N,), tl.float32)
    for r in range(M):
        s += tl.load(x + r * n + c, c < n, 0.0)
    tl.store(y + c, s, c < n)


def check_column_sums():
    x, y = data(20, 50), np.zeros(50, np.float32)
    execute(columns, (2,), [x, y], [50], {"M": 20, "N": 32}, warps=1)
    equal(y, x.sum(0), 1e-4)


@triton.jit
def steps(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    while n > 1:
        v = tl.where(v > 0, v * 0.5, v + 1.0)
        n = n // 2
    tl.store(x + i, v)


def check_loop():
    x = data(64)
    want = x.copy()
    for _ in range(6):
        want = np.where(want > 0, want * np.float32(0.5), want + 1).astype(np.float32)
    execute(steps, (1,), [x], [64], {"B": 64})
    equal(x, want)


@triton.jit
def smooth(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i - 1, (i > 0) & (i < n), 0.0) + 2 * tl.load(x + i, i < n, 0.0) + tl.load(x + i + 1, i + 1 < n, 0.0)
    tl.store(y + i, v * 0.25, i < n)


def check_stencil():
    x, y = data(300), np.zeros(300, np.float32)
    execute(smooth, (3,), [x, y], [300], {"B": 128})
    padded = np.pad(x, 1)
    equal(y, 0.25 * (padded[:-2] + 2 * padded[1:-1] + padded[2:]))


@triton.jit
def count(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(y + tl.load(x + i, i < n, 0), 1, i < n)


def check_histogram():
    x, y = random.integers(0, 16, 700).astype(np.int32), np.zeros(16, np.int32)
    execute(count, (6,), [x, y], [700], {"B": 128})
    equal(y, np.bincount(x, minlength=16))


@triton.jit
def order(x, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, tl.sort(tl.load(x + i)))


def check_sort():
    x = data(128)
    want = np.sort(x)
    execute(order, (1,), [x], [], {"B": 128})
    equal(x, want)


@triton.jit
def dice(y, seed, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.rand(seed, i))


def check_random_numbers():
    y = np.zeros(1024, np.float32)
    execute(dice, (1,), [y], [5], {"B": 1024})
    assert 0 <= y.min() and y.max() < 1 and abs(y.mean() - 0.5) < 0.05 and len(np.unique(y)) > 1000


@triton.jit
def attention(q, k, v, o, L: tl.constexpr, D: tl.constexpr):
    i, d = tl.arange(0, L), tl.arange(0, D)
    at = i[:, None] * D + d[None, :]
    s = tl.dot(tl.load(q + at), tl.trans(tl.load(k + at))) * 0.25
    s = tl.where(i[:, None] >= i[None, :], s, -float("inf"))
    p = tl.exp(s - tl.max(s, 1)[:, None])
    p = p / tl.sum(p, 1)[:, None]
    tl.store(o + at, tl.dot(p.to(tl.float16), tl.load(v + at)))


def check_causal_attention():
    q, k, v = (data(32, 16, kind=np.float16) for _ in range(3))
    o = np.zeros((32, 16), np.float32)
    execute(attention, (1,), [q, k, v, o], [], {"L": 32, "D": 16})
    s = q.astype(np.float32) @ k.astype(np.float32).T * 0.25
    s[np.triu_indices(32, 1)] = -np.inf
    p = np.exp(s - s.max(1, keepdims=True))
    equal(o, (p / p.sum(1, keepdims=True)) @ v.astype(np.float32), 1e-2)


class Tensor:
    """As much of a tensor as Triton's JIT asks for."""

    def __init__(self, array):
        self.array, self.dtype, self.place = array, array.dtype.name, ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(self.place), ctypes.c_size_t(array.nbytes))
        call("cuMemcpyHtoD_v2", self.place, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))

    def data_ptr(self):
        return self.place.value

    def numpy(self):
        call("cuMemcpyDtoH_v2", self.array.ctypes.data_as(ctypes.c_void_p), self.place, ctypes.c_size_t(self.array.nbytes))
        return self.array


def check_jit():
    # Triton's own launcher, for the card that there is, by its own call of ptxas.
    x, y = data(1000), data(1000)
    z = Tensor(np.zeros(1000, np.float32))
    add[(4,)](Tensor(x), Tensor(y), z, 1000, B=256)
    equal(z.numpy(), x + y)


def check_jit_product():
    a, b = data(64, 96, kind=np.float16), data(96, 32, kind=np.float16)
    c = Tensor(np.zeros((64, 32), np.float32))
    product[(2, 1)](Tensor(a), Tensor(b), c, M=64, N=32, K=96, T=32)
    equal(c.numpy(), a.astype(np.float32) @ b.astype(np.float32), 1e-3)


run(f"Triton {triton.__version__}", globals())
