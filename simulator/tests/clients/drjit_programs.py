"""Dr.Jit on its CUDA backend, which writes PTX itself: arithmetic, gathers and scatters, loops, calls, textures, random numbers and gradients,
against NumPy. OptiX is not needed for any of them."""

import math

import drjit as dr
import numpy as np
from drjit.cuda import Array3f, Float, Float16, Float64, Matrix3f, PCG32, TensorXf, Texture2f, UInt, UInt64
from drjit.cuda import ad
from programs import equal, run

random = np.random.default_rng(7)


def data(*shape):
    return random.standard_normal(shape).astype(np.float32)


def check_elementwise():
    x = data(1000)
    at = Float(x)
    equal(dr.sin(at) * 2 + dr.sqrt(dr.abs(at)), np.sin(x) * 2 + np.sqrt(np.abs(x)), 1e-5)


def check_functions():
    x = data(500)
    at = Float(x)
    pairs = [(dr.exp(at), np.exp(x)), (dr.log(dr.abs(at)), np.log(np.abs(x))), (dr.tanh(at), np.tanh(x)), (dr.atan2(at, Float(0.3)), np.arctan2(x, np.float32(0.3)))]
    pairs += [(dr.floor(at), np.floor(x)), (dr.power(dr.abs(at), 1.7), np.abs(x) ** np.float32(1.7)), (dr.fma(at, at, 1), x * x + 1), (dr.erf(at), [math.erf(v) for v in x])]
    for got, want in pairs:
        equal(got, want, 3e-5)


def check_double_precision():
    x = random.standard_normal(300)
    at = Float64(x)
    equal(dr.exp(at) / (1 + dr.cos(at) ** 2), np.exp(x) / (1 + np.cos(x) ** 2), 1e-12)


def check_half_precision():
    x = data(256).astype(np.float16)
    equal((Float16(x) * Float16(2) + Float16(1)).numpy().astype(np.float32), (x * np.float16(2) + np.float16(1)).astype(np.float32), 2e-3)


def check_integers():
    x = random.integers(1, 2**32 - 1, 400, dtype=np.uint32)
    at = UInt(x)
    equal(at ^ (at >> 3), x ^ (x >> 3))
    equal(at // 7 % 1000, x // 7 % 1000)
    equal(dr.popcnt(at), [bin(v).count("1") for v in x])
    equal(dr.lzcnt(at), [32 - int(v).bit_length() for v in x])
    equal(UInt64(at) * UInt64(at), x.astype(np.uint64) * x.astype(np.uint64))
    equal(dr.mul_hi(at, at), (x.astype(np.uint64) ** 2 >> np.uint64(32)))


def check_sums_of_two_warps():
    # Its kernel for 33 to 64 elements reads 8 bytes behind its 8 bytes of shared memory.
    for count in (33, 50, 64):
        x = data(count)
        equal(dr.sum(Float(x)), [x.sum(dtype=np.float64)], 1e-4)


def check_reductions():
    x = data(5000)
    at = Float(x)
    equal(dr.sum(at), [x.sum(dtype=np.float64)], 1e-3)
    equal(dr.max(at), [x.max()])
    equal(dr.min(at), [x.min()])
    equal(dr.prod(Float(x[:20])), [x[:20].prod()], 1e-4)
    equal(dr.mean(at), [x.mean()], 1e-4)
    assert dr.all(at < 100) and not dr.all(at > 0) and dr.any(at > 0) and dr.count(at > 0)[0] == (x > 0).sum()


def check_prefix_sums():
    x = random.integers(0, 9, 3000).astype(np.uint32)
    equal(dr.cumsum(UInt(x)), np.cumsum(x))
    equal(dr.prefix_sum(UInt(x)), np.cumsum(x) - x)


def check_gather():
    x, at = data(1000), random.integers(0, 1000, 200).astype(np.uint32)
    equal(dr.gather(Float, Float(x), UInt(at)), x[at])


def check_scatter():
    to, at = dr.zeros(Float, 100), random.permutation(100)[:40].astype(np.uint32)
    x = data(40)
    dr.scatter(to, Float(x), UInt(at))
    want = np.zeros(100)
    want[at] = x
    equal(to, want)


def check_scatter_reduce():
    at, x = random.integers(0, 10, 3000).astype(np.uint32), random.integers(0, 100, 3000).astype(np.float32)
    sums = dr.zeros(Float, 10)
    dr.scatter_reduce(dr.ReduceOp.Add, sums, Float(x), UInt(at))
    equal(sums, np.bincount(at, x, 10))
    largest = dr.zeros(UInt, 10)
    dr.scatter_reduce(dr.ReduceOp.Max, largest, UInt(x.astype(np.uint32)), UInt(at))
    equal(largest, [x[at == i].max() for i in range(10)])


def check_compress():
    x = data(1000)
    equal(dr.compress(Float(x) > 0.5), np.flatnonzero(x > 0.5))


def check_block_reductions():
    x = data(24, 32)
    equal(dr.block_sum(Float(x.ravel()), 32), x.sum(axis=1), 1e-4)
    equal(dr.block_reduce(dr.ReduceOp.Max, Float(x.ravel()), 32), x.max(axis=1))


def check_masks_and_selection():
    x = data(300)
    at = Float(x)
    equal(dr.select((at > 0) & (at < 1), at, -1), np.where((x > 0) & (x < 1), x, -1))
    at[at < 0] = 7
    equal(at, np.where(x < 0, 7, x))


def check_vectors():
    a, b = data(3, 100), data(3, 100)
    u, v = Array3f(a), Array3f(b)
    equal(dr.dot(u, v), (a * b).sum(axis=0), 1e-4)
    equal(dr.cross(u, v).numpy(), np.cross(a.T, b.T).T, 1e-4)
    equal(dr.norm(dr.normalize(u)), np.ones(100))


def check_matrices():
    m, v = data(3, 3, 60), data(3, 60)
    a = Matrix3f(*[Float(m[i, j]) for i in range(3) for j in range(3)])
    equal((a @ Array3f(v)).numpy(), np.einsum("ijn,jn->in", m, v), 1e-4)
    equal(dr.det(a), np.linalg.det(m.transpose(2, 0, 1)), 1e-3)


def check_tensors():
    a, b = data(6, 5, 4), data(5, 1)
    x = TensorXf(a)
    equal((x * TensorXf(b) + 1).numpy(), a * b + 1)
    equal(dr.sum(x, axis=1).numpy(), a.sum(axis=1), 1e-4)
    equal(x[2:5, :, 1].numpy(), a[2:5, :, 1])
    equal(dr.reshape(x, (30, 4)).numpy(), a.reshape(30, 4))


@dr.syntax
def collatz(n: UInt):
    steps = UInt(0)
    while n != 1:
        if n & 1 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def check_loop():
    def of(n):
        steps = 0
        while n != 1:
            n, steps = n // 2 if n % 2 == 0 else 3 * n + 1, steps + 1
        return steps

    equal(collatz(dr.arange(UInt, 300) + 1), [of(n + 1) for n in range(300)])


def check_switch():
    x, which = data(200), random.integers(0, 3, 200).astype(np.uint32)
    got = dr.switch(UInt(which), [lambda v: v + 1, lambda v: v * v, lambda v: dr.sin(v)], Float(x))
    equal(got, np.select([which == 0, which == 1], [x + 1, x * x], np.sin(x)), 1e-5)


def check_random_numbers():
    x = PCG32(size=20000).next_float32().numpy()
    assert 0 <= x.min() and x.max() < 1 and abs(x.mean() - 0.5) < 0.01 and abs(x.var() - 1 / 12) < 0.005
    assert len(np.unique(x)) > 19000


def check_texture():
    texels = random.random((8, 8, 1)).astype(np.float32)
    texture = Texture2f(TensorXf(texels), filter_mode=dr.FilterMode.Linear, wrap_mode=dr.WrapMode.Clamp)
    at = random.random((2, 200)).astype(np.float32)
    (got,) = texture.eval(dr.cuda.Array2f(at))
    x, y = at[0] * 8 - 0.5, at[1] * 8 - 0.5
    i, j = np.floor(x).astype(int), np.floor(y).astype(int)
    u, v = x - i, y - j
    of = lambda i, j: texels[j.clip(0, 7), i.clip(0, 7), 0]
    want = (1 - v) * ((1 - u) * of(i, j) + u * of(i + 1, j)) + v * ((1 - u) * of(i, j + 1) + u * of(i + 1, j + 1))
    # The card's filter has weights of 8 bits.
    equal(got, want, 4e-3)


def check_gradient():
    x = data(300)
    at = ad.Float(x)
    dr.enable_grad(at)
    dr.backward(dr.sum(at * at * dr.sin(at)))
    equal(at.grad, 2 * x * np.sin(x) + x * x * np.cos(x), 1e-4)


def check_gradient_of_gathers():
    x, at = data(50), random.integers(0, 50, 400).astype(np.uint32)
    source = ad.Float(x)
    dr.enable_grad(source)
    dr.backward(dr.sum(dr.gather(ad.Float, source, ad.UInt(at)) ** 2))
    equal(source.grad, 2 * x * np.bincount(at, minlength=50), 1e-4)


def check_forward_derivatives():
    x = data(100)
    at = ad.Float(x)
    dr.enable_grad(at)
    y = dr.exp(at) * at
    dr.set_grad(at, 1)
    dr.enqueue(dr.ADMode.Forward, at)
    dr.traverse(dr.ADMode.Forward)
    equal(dr.grad(y), np.exp(x) * (x + 1), 1e-4)


def check_descent():
    target = data(80)
    x = ad.Float(np.zeros(80, np.float32))
    for _ in range(40):
        dr.enable_grad(x)
        dr.backward(dr.mean((x - ad.Float(target)) ** 2))
        x = ad.Float(dr.detach(x) - 10 * dr.grad(x))
    equal(x, target * (1 - (1 - 20 / 80) ** 40), 1e-4)


def check_evaluation_in_parts():
    x = Float(np.arange(100, dtype=np.float32))
    for _ in range(5):
        x = x * 1.5 + 1
        dr.eval(x)
    want = np.arange(100.0)
    for _ in range(5):
        want = want * 1.5 + 1
    equal(x, want, 1e-4)


def check_frozen_function():
    @dr.freeze
    def double(x):
        return x * 2 + 1

    for k in range(3):
        x = data(100)
        equal(double(Float(x)), 2 * x + 1)


def check_kernel_of_many_arrays():
    arrays = [data(128) for _ in range(40)]
    total = Float(0)
    for k, x in enumerate(arrays):
        total += Float(x) * k
    equal(total, sum(x * k for k, x in enumerate(arrays)), 1e-4)


if __name__ == "__main__":
    run(f"drjit {dr.__version__}", globals())
