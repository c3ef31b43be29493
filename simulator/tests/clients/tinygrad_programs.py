"""tinygrad on its CUDA backend: operations of tensors, and training a small network, against NumPy."""

import os

os.environ["DEV"] = "CUDA"

import numpy as np
from programs import equal, run
from tinygrad import Context, Tensor, TinyJit, nn

random = np.random.default_rng(7)


def data(*shape):
    return random.standard_normal(shape).astype(np.float32)


def check_elementwise():
    a, b = data(33, 5), data(33, 5)
    equal((Tensor(a) * Tensor(b) + 2.5 - Tensor(a) / 3).numpy(), a * b + 2.5 - a / 3)


def check_broadcast():
    a, b = data(4, 1, 7), data(3, 1)
    equal((Tensor(a) + Tensor(b)).numpy(), a + b)


def check_unary():
    a = data(100)
    x = Tensor(a)
    for got, want in [(x.exp(), np.exp(a)), (x.sin(), np.sin(a)), (x.abs().sqrt(), np.sqrt(np.abs(a))), (x.tanh(), np.tanh(a))]:
        equal(got.numpy(), want)


def check_matmul():
    a, b = data(37, 65), data(65, 29)
    equal((Tensor(a) @ Tensor(b)).numpy(), a @ b, 1e-4)


def check_batched_matmul():
    a, b = data(3, 8, 5), data(3, 5, 6)
    equal((Tensor(a) @ Tensor(b)).numpy(), a @ b)


def check_reduce():
    a = data(7, 11, 13)
    x = Tensor(a)
    equal(x.sum(axis=1).numpy(), a.sum(axis=1), 1e-4)
    equal(x.max(axis=(0, 2)).numpy(), a.max(axis=(0, 2)))
    equal(x.mean().numpy(), a.mean(), 1e-4)


def check_argmax():
    a = data(9, 40)
    equal(Tensor(a).argmax(axis=1).numpy(), a.argmax(axis=1))


def check_softmax():
    a = data(6, 50)
    e = np.exp(a - a.max(axis=1, keepdims=True))
    equal(Tensor(a).softmax().numpy(), e / e.sum(axis=1, keepdims=True))


def check_transpose_reshape():
    a = data(6, 10)
    equal(Tensor(a).transpose().reshape(4, 15).numpy(), a.T.reshape(4, 15))


def check_slices_and_padding():
    a = data(9, 9)
    equal(Tensor(a)[2:7, ::2].numpy(), a[2:7, ::2])
    equal(Tensor(a).pad(((1, 2), (0, 3))).numpy(), np.pad(a, ((1, 2), (0, 3))))


def check_concatenate():
    a, b = data(3, 4), data(2, 4)
    equal(Tensor(a).cat(Tensor(b)).numpy(), np.concatenate([a, b]))


def check_gather():
    a, i = data(20, 3), random.integers(0, 20, 15)
    equal(Tensor(a)[Tensor(i.astype(np.int32))].numpy(), a[i])


def check_where():
    a, b = data(50), data(50)
    equal((Tensor(a) > Tensor(b)).where(Tensor(a), 0).numpy(), np.where(a > b, a, 0))


def check_integers():
    a = random.integers(-1000, 1000, 64).astype(np.int32)
    equal((Tensor(a) * 3 + (Tensor(a) & 7)).numpy(), a * 3 + (a & 7))


def check_half():
    a = data(32).astype(np.float16)
    equal((Tensor(a) * 2 + 1).numpy().astype(np.float32), (a * 2 + 1).astype(np.float32), 1e-2)


def check_cumsum():
    a = data(200)
    equal(Tensor(a).cumsum().numpy(), a.cumsum(), 1e-4)


def check_convolution():
    a, w = data(1, 2, 8, 8), data(3, 2, 3, 3)
    want = np.zeros((1, 3, 6, 6), np.float32)
    for y in range(6):
        for x in range(6):
            want[0, :, y, x] = (w * a[0, None, :, y : y + 3, x : x + 3]).sum(axis=(1, 2, 3))
    equal(Tensor(a).conv2d(Tensor(w)).numpy(), want, 1e-4)


def check_layer_norm():
    a = data(5, 32)
    want = (a - a.mean(1, keepdims=True)) / np.sqrt(a.var(1, keepdims=True) + 1e-5)
    equal(Tensor(a).layernorm().numpy(), want, 1e-4)


def check_sort():
    a = data(64)
    equal(Tensor(a).sort()[0].numpy(), np.sort(a))


def check_gradient():
    a, b = data(4, 6), data(6, 3)
    x, y = Tensor(a), Tensor(b)
    (x @ y).relu().sum().backward()
    mask = (a @ b > 0).astype(np.float32)
    equal(x.grad.numpy(), mask @ b.T, 1e-4)
    equal(y.grad.numpy(), a.T @ mask, 1e-4)


def check_jit():
    double = TinyJit(lambda x: (x * 2 + 1).realize())
    for _ in range(4):
        a = data(16)
        equal(double(Tensor(a)).numpy(), a * 2 + 1)


def check_training():
    """Ten steps of gradient descent on a small network, each loss and the weights beside NumPy's."""
    x, y = data(16, 8), data(16, 2)
    w1, w2 = data(8, 12) * 0.3, data(12, 2) * 0.3
    t1, t2 = Tensor(w1), Tensor(w2)
    optimiser = nn.optim.SGD([t1, t2], lr=0.05)
    with Context(TRAINING=1):
        for _ in range(10):
            hidden = np.maximum(x @ w1, 0)
            error = hidden @ w2 - y
            g = 2 * error / error.size
            back = (g @ w2.T) * (hidden > 0)
            optimiser.zero_grad()
            loss = ((Tensor(x) @ t1).relu() @ t2 - Tensor(y)).square().mean()
            loss.backward()
            loss.realize(*optimiser.schedule_step())
            equal(loss.numpy(), (error**2).mean(), 1e-3)
            w1, w2 = w1 - 0.05 * (x.T @ back), w2 - 0.05 * (hidden.T @ g)
    equal(t1.numpy(), w1, 1e-3)
    equal(t2.numpy(), w2, 1e-3)


run("tinygrad 0.14.0", globals())
