"""Taichi on its CUDA backend, whose PTX LLVM writes: fields, matrices, atomics, loops, sparse fields and gradients, against NumPy."""

import numpy as np
import taichi as ti
from programs import equal, run

ti.init(arch=ti.cuda, offline_cache=False, log_level=ti.WARN, random_seed=7)
assert ti.cfg.arch == ti.cuda, f"Taichi fell back to {ti.cfg.arch}"
random = np.random.default_rng(7)


def data(*shape):
    return random.standard_normal(shape).astype(np.float32)


def check_field():
    x = ti.field(ti.f32, 1000)

    @ti.kernel
    def fill():
        for i in x:
            x[i] = ti.sin(i * 0.01)

    fill()
    equal(x.to_numpy(), np.sin(np.arange(1000) * 0.01), 1e-4)


def check_sum():
    x = ti.field(ti.f32, 3000)
    values = data(3000)
    x.from_numpy(values)

    @ti.kernel
    def total() -> ti.f32:
        s = 0.0
        for i in x:
            s += x[i]
        return s

    equal(total(), values.sum(), 1e-3)


def check_matrices():
    a, v = ti.Matrix.field(3, 3, ti.f32, 20), ti.Vector.field(3, ti.f32, 20)
    m, w = data(20, 3, 3), data(20, 3)
    a.from_numpy(m)
    v.from_numpy(w)

    @ti.kernel
    def turn():
        for i in a:
            v[i] = a[i].transpose() @ v[i] + a[i].trace() * v[i].norm()

    turn()
    want = np.einsum("nji,nj->ni", m, w) + (np.trace(m, axis1=1, axis2=2) * np.linalg.norm(w, axis=1))[:, None]
    equal(v.to_numpy(), want, 1e-4)


def check_arrays_of_numpy():
    @ti.kernel
    def fill(a: ti.types.ndarray()):
        for i, j in ti.ndrange(8, 9):
            a[i, j] = i * 9 + j

    a = np.zeros((8, 9), np.float32)
    fill(a)
    equal(a, np.arange(72).reshape(8, 9))


def check_ndarray():
    x = ti.ndarray(ti.f32, (40, 30))
    values = data(40, 30)
    x.from_numpy(values)

    @ti.kernel
    def double(a: ti.types.ndarray(dtype=ti.f32, ndim=2)):
        for i, j in a:
            a[i, j] = 2 * a[i, j] + i

    double(x)
    equal(x.to_numpy(), 2 * values + np.arange(40)[:, None])


def check_atomics():
    @ti.kernel
    def count(values: ti.types.ndarray(), bins: ti.types.ndarray(), ends: ti.types.ndarray()):
        for i in range(values.shape[0]):
            ti.atomic_add(bins[values[i]], 1)
            ti.atomic_max(ends[0], values[i])
            ti.atomic_min(ends[1], values[i])

    values = random.integers(3, 17, 5000).astype(np.int32)
    bins, ends = np.zeros(20, np.int32), np.array([0, 100], np.int32)
    count(values, bins, ends)
    equal(bins, np.bincount(values, minlength=20))
    equal(ends, [values.max(), values.min()])


def check_matrix_product():
    a, b, c = (ti.field(ti.f32, (40, 40)) for _ in range(3))
    x, y = data(40, 40), data(40, 40)
    a.from_numpy(x)
    b.from_numpy(y)

    @ti.kernel
    def multiply():
        for i, j in c:
            s = 0.0
            for k in range(40):
                s += a[i, k] * b[k, j]
            c[i, j] = s

    multiply()
    equal(c.to_numpy(), x @ y, 1e-4)


def check_while_and_break():
    steps = ti.field(ti.i32, 200)

    @ti.kernel
    def collatz():
        for i in steps:
            n = i + 1
            while n != 1:
                if n % 2 == 0:
                    n //= 2
                else:
                    n = 3 * n + 1
                steps[i] += 1
                if steps[i] >= 100:
                    break

    def of(n):
        count = 0
        while n != 1 and count < 100:
            n, count = n // 2 if n % 2 == 0 else 3 * n + 1, count + 1
        return count

    collatz()
    equal(steps.to_numpy(), [of(i + 1) for i in range(200)])


def check_types():
    x, y, z = ti.field(ti.f64, 100), ti.field(ti.i64, 100), ti.field(ti.u8, 100)

    @ti.kernel
    def fill():
        for i in x:
            x[i] = ti.sqrt(ti.cast(i, ti.f64))
            y[i] = ti.cast(i, ti.i64) * ti.i64(10_000_000_000)
            z[i] = ti.cast(i * 5, ti.u8)

    fill()
    equal(x.to_numpy(), np.sqrt(np.arange(100)), 1e-12)
    equal(y.to_numpy(), np.arange(100) * 10_000_000_000)
    equal(z.to_numpy(), (np.arange(100) * 5).astype(np.uint8))


def check_functions():
    @ti.kernel
    def apply(x: ti.types.ndarray(), to: ti.types.ndarray()):
        for i in range(x.shape[0]):
            to[i, 0] = ti.exp(x[i])
            to[i, 1] = ti.log(ti.abs(x[i]) + 1)
            to[i, 2] = ti.atan2(x[i], 0.3)
            to[i, 3] = ti.tanh(x[i])
            to[i, 4] = ti.floor(x[i]) + ti.max(x[i], 0.5)

    x, to = data(300), np.zeros((300, 5), np.float32)
    apply(x, to)
    want = [np.exp(x), np.log(np.abs(x) + 1), np.arctan2(x, 0.3), np.tanh(x), np.floor(x) + np.maximum(x, 0.5)]
    equal(to, np.stack(want, axis=1), 1e-4)


def check_structs():
    Particle = ti.types.struct(at=ti.math.vec2, mass=ti.f32)
    particles = Particle.field(shape=50)
    at, mass = data(50, 2), np.abs(data(50)) + 1
    particles.at.from_numpy(at)
    particles.mass.from_numpy(mass)

    @ti.kernel
    def move():
        for i in particles:
            particles[i].at += particles[i].at.yx / particles[i].mass

    move()
    equal(particles.at.to_numpy(), at + at[:, ::-1] / mass[:, None], 1e-4)


@ti.data_oriented
class Springs:
    def __init__(self, n):
        self.x, self.v = ti.field(ti.f32, n), ti.field(ti.f32, n)

    @ti.kernel
    def step(self, time: ti.f32):
        for i in self.x:
            self.v[i] -= self.x[i] * time
            self.x[i] += self.v[i] * time


def check_classes_and_repeated_launches():
    springs, x = Springs(64), data(64)
    springs.x.from_numpy(x)
    v = np.zeros(64, np.float32)
    for _ in range(30):
        springs.step(0.1)
        v -= x * np.float32(0.1)
        x = x + v * np.float32(0.1)
    equal(springs.x.to_numpy(), x, 1e-4)


def check_gradient():
    x, loss = ti.field(ti.f32, 50, needs_grad=True), ti.field(ti.f32, (), needs_grad=True)
    values = data(50)
    x.from_numpy(values)

    @ti.kernel
    def energy():
        for i in x:
            loss[None] += x[i] ** 2 * ti.sin(x[i])

    with ti.ad.Tape(loss):
        energy()
    equal(loss[None], (values**2 * np.sin(values)).sum(), 1e-3)
    equal(x.grad.to_numpy(), 2 * values * np.sin(values) + values**2 * np.cos(values), 1e-4)


def check_sparse_field():
    x = ti.field(ti.i32)
    block = ti.root.pointer(ti.ij, (8, 8))
    block.dense(ti.ij, (4, 4)).place(x)
    visited = ti.field(ti.i32, ())

    @ti.kernel
    def touch():
        for i in range(8):
            x[4 * i, 4 * i + 1] = i + 1

    @ti.kernel
    def walk():
        for i, j in x:
            visited[None] += 1

    touch()
    walk()
    equal(visited[None], 8 * 16)
    got = x.to_numpy()
    equal(got.sum(), 36)
    equal(got[12, 13], 4)


def check_dynamic_field():
    x = ti.field(ti.i32)
    rows = ti.root.dense(ti.i, 10).dynamic(ti.j, 64, chunk_size=16)
    rows.place(x)
    lengths = ti.field(ti.i32, 10)

    @ti.kernel
    def grow():
        for i in range(10):
            for j in range(i * 3):
                x[i].append(j)
        for i in range(10):
            lengths[i] = x[i].length()

    grow()
    equal(lengths.to_numpy(), np.arange(10) * 3)


def check_bits_and_integers():
    x = random.integers(0, 2**31 - 1, 400).astype(np.int32)
    to = np.zeros((400, 4), np.int32)

    @ti.kernel
    def mix(x: ti.types.ndarray(), to: ti.types.ndarray()):
        for i in range(x.shape[0]):
            to[i, 0] = x[i] ^ (x[i] >> 3)
            to[i, 1] = (x[i] & 0xFF) << 4
            to[i, 2] = x[i] // 7 % 1000
            to[i, 3] = ti.math.popcnt(x[i])

    mix(x, to)
    equal(to, np.stack([x ^ (x >> 3), (x & 255) << 4, x // 7 % 1000, [bin(v).count("1") for v in x]], axis=1))


def check_random_numbers():
    x = ti.field(ti.f32, 20000)

    @ti.kernel
    def draw():
        for i in x:
            x[i] = ti.random()

    draw()
    got = x.to_numpy()
    assert 0 <= got.min() and got.max() < 1 and abs(got.mean() - 0.5) < 0.02 and abs(got.var() - 1 / 12) < 0.01


def check_stencil_with_shared_memory():
    n = 512
    a, b = ti.field(ti.f32, n), ti.field(ti.f32, n)
    values = data(n)
    a.from_numpy(values)

    @ti.kernel
    def smooth():
        ti.loop_config(block_dim=128)
        for i in range(n):
            pad = ti.simt.block.SharedArray((128,), ti.f32)
            pad[i % 128] = a[i]
            ti.simt.block.sync()
            b[i] = pad[i % 128] + pad[(i + 1) % 128]

    smooth()
    blocks = values.reshape(4, 128)
    equal(b.to_numpy(), (blocks + np.roll(blocks, -1, axis=1)).ravel())


def check_reduction_of_a_picture():
    picture = ti.Vector.field(3, ti.f32, (64, 48))
    values = data(64, 48, 3)
    picture.from_numpy(values)
    mean = ti.Vector.field(3, ti.f32, ())

    @ti.kernel
    def average():
        for i, j in picture:
            mean[None] += picture[i, j] / (64 * 48)

    average()
    equal(mean.to_numpy(), values.mean(axis=(0, 1)), 1e-3)


def check_scan_and_sort():
    n = 1024
    x = ti.field(ti.i32, n)
    values = random.integers(0, 50, n).astype(np.int32)
    x.from_numpy(values)
    ti.algorithms.PrefixSumExecutor(n).run(x)
    equal(x.to_numpy(), np.cumsum(values))
    keys = ti.field(ti.i32, 256)
    shuffled = random.permutation(256).astype(np.int32)
    keys.from_numpy(shuffled)
    ti.algorithms.parallel_sort(keys)
    equal(keys.to_numpy(), np.arange(256))


def check_templates():
    x, y = ti.field(ti.f32, 100), ti.field(ti.f32, (10, 10))

    @ti.kernel
    def fill(field: ti.template(), value: ti.f32):
        for at in ti.grouped(field):
            field[at] = value + at.sum()

    fill(x, 1.0)
    fill(y, 2.0)
    equal(x.to_numpy(), np.arange(100) + 1)
    equal(y.to_numpy(), np.add.outer(np.arange(10), np.arange(10)) + 2)


if __name__ == "__main__":
    run(f"taichi {'.'.join(map(str, ti.__version__))}", globals())
