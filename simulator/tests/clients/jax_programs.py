"""JAX from its wheels, without a word about the card: XLA compiles each program to PTX, and its own kernels are there as PTX for compute capability
12.0. Answers are compared with those of its backend for the processor. What calls cuDNN or cuSOLVER, which are machine code, is no part; cuFFT is the
project's own."""

import jax
import jax.numpy as jnp
import numpy as np

from programs import equal, run

# Else products are taken in TF32, as on a card.
jax.config.update("jax_default_matmul_precision", "highest")
CPU = jax.devices("cpu")[0]
random = np.random.default_rng(1)
A = random.standard_normal((32, 48)).astype(np.float32)
B = random.standard_normal((48, 16)).astype(np.float32)


def same(function, *arguments, tolerance=1e-5):
    """The same function on both backends."""
    got = jax.jit(function)(*arguments)
    assert {device.platform for device in got.devices()} == {"gpu"}, got.devices()
    with jax.default_device(CPU):
        want = jax.jit(function)(*[jax.device_put(argument, CPU) for argument in arguments])
    equal(got, want, tolerance)


def check_device():
    assert jax.default_backend() == "gpu" and len(jax.devices()) >= 1


def check_elementwise():
    same(lambda a: jnp.where(a > 0, a * 2 + 1, jnp.exp(a)), A)


def check_reductions():
    same(lambda a: jnp.stack([a.sum(1), a.max(1), jnp.argmin(a, 1).astype(jnp.float32)]), A)


def check_product():
    same(lambda a, b: a @ b, A, B)


def check_softmax():
    same(lambda a: jax.nn.softmax(a, axis=-1), A)


def check_sort():
    same(lambda a: jnp.sort(a, axis=-1), A)


def check_prefix_sums():
    same(lambda a: jnp.cumsum(a, axis=0), A)


def check_random_numbers():
    same(lambda key: jax.random.normal(jax.random.wrap_key_data(key), (64,)), np.array([1, 2], np.uint32))


def check_scan():
    same(lambda a: jax.lax.scan(lambda total, row: (total + row, total * row), a[0], a)[1], A)


def check_gather_and_scatter():
    same(lambda a: a[jnp.array([3, 1, 2])].at[0].add(a[5]), A)


def check_a_step_of_training():
    def loss(weights, x):
        return ((jnp.tanh(x @ weights[0]) @ weights[1]) ** 2).mean()

    def step(first, second, x):
        slopes = jax.grad(loss)([first, second], x)
        return first - 0.1 * slopes[0]

    first = random.standard_normal((48, 8)).astype(np.float32)
    same(step, first, random.standard_normal((8, 4)).astype(np.float32), A)


def check_transforms():
    same(lambda a: jnp.stack([jnp.fft.fft2(a), jnp.fft.ifft(a), jnp.fft.fft(a, axis=0)]), A, tolerance=1e-4)
    same(lambda a: jnp.fft.irfft(jnp.fft.rfft(a) ** 2), A, tolerance=1e-4)


def check_map_over_a_batch():
    same(jax.vmap(lambda a: jnp.outer(a, a).trace()), A)


run("jax", globals())
