"""PyTorch from its wheel: its own operations, which its CPU kernels answer, Triton's kernels on tensors, tuned ones, and what `torch.compile` makes."""

import os
import subprocess
import sys

import torch
import torch.nn.attention
import triton
import triton.language as tl
from programs import equal, run


@triton.jit
def add(x, y, z, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(z + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


def check_copies():
    x = torch.rand(1000)
    equal(x.cuda().cpu(), x)


def check_triton_vector_add():
    x, y = torch.rand(98432), torch.rand(98432)
    z = torch.empty(98432, device="cuda")
    add[lambda meta: (triton.cdiv(98432, meta["B"]),)](x.cuda(), y.cuda(), z, 98432, B=1024)
    equal(z.cpu(), x + y)


# Triton's tutorial, whose rows are dealt to as many programs as fit by the kernel's registers.
@triton.jit
def softmax_kernel(y, x, stride, rows, columns, B: tl.constexpr, STAGES: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        i = tl.arange(0, B)
        v = tl.load(x + row * stride + i, i < columns, -float("inf"))
        e = tl.exp(v - tl.max(v, 0))
        tl.store(y + row * stride + i, e / tl.sum(e, 0), i < columns)


def check_triton_softmax():
    x = torch.randn(1823, 781)
    there, out = x.cuda(), torch.empty(1823, 781, device="cuda")
    kernel = softmax_kernel.warmup(out, there, 781, 1823, 781, B=1024, STAGES=2, num_warps=8, grid=(1,))
    kernel._init_handles()
    properties = triton.runtime.driver.active.utils.get_device_properties(0)
    fit = properties["max_num_regs"] // (kernel.n_regs * 32 * 8)
    assert fit > 0, kernel.n_regs
    softmax_kernel[(fit * properties["multiprocessor_count"],)](out, there, 781, 1823, 781, B=1024, STAGES=2, num_warps=8)
    equal(out.cpu(), torch.softmax(x, 1))


@triton.jit
def product(a, b, c, K, N, M: tl.constexpr, T: tl.constexpr):
    m, n, k = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * M + tl.arange(0, M), tl.arange(0, T)
    s = tl.zeros((M, M), tl.float32)
    for at in range(0, K, T):
        s = tl.dot(tl.load(a + m[:, None] * K + (at + k)[None, :]), tl.load(b + (at + k)[:, None] * N + n[None, :]), s)
    tl.store(c + m[:, None] * N + n[None, :], s.to(tl.float16))


def check_triton_product():
    a, b = torch.rand(256, 256).half() - 0.5, torch.rand(256, 256).half() - 0.5
    c = torch.empty(256, 256, device="cuda", dtype=torch.float16)
    product[(4, 4)](a.cuda(), b.cuda(), c, 256, 256, M=64, T=32, num_stages=4)
    equal(c.cpu(), (a.float() @ b.float()).half(), 1e-2)


def check_a_number_in_a_tensors_place():
    # Each has one kernel, of two tensors; the type of the result follows from a number otherwise than from a tensor of one.
    whole, part, one = torch.arange(1, 13, dtype=torch.int32), torch.arange(1.0, 13.0) / 3, torch.tensor(5, dtype=torch.int32)
    there = [x.cuda() for x in (whole, part, one)]
    special = torch.special
    for apply in (
        lambda i, x, k: [i % 7, k % 7, x % 0.7, 7 % i, torch.fmod(x, 0.3), x.half() % 0.7, i.clone().remainder_(5), torch.remainder(i, 5, out=torch.empty_like(i))],
        lambda i, x, k: [i & 3, k & 3, 3 & i, i | 3, i ^ 3, i << 2, 2 << i, i >> 1, (i > 3) & True, (i > 3) % 2, i.clone().bitwise_and_(5)],
        lambda i, x, k: [torch.copysign(x, -1.0), torch.xlogy(x, 2.0), torch.xlogy(2.0, x), torch.pow(2.5, i), k**2, torch.ldexp(x, k)],
        lambda i, x, k: [special.xlog1py(x, 2.0), special.zeta(x + 1, 2.0), special.zeta(2.0, x + 1), special.chebyshev_polynomial_t(x, 3)],
    ):
        for got, want in zip(apply(*there), apply(whole, part, one), strict=True):
            assert got.is_cuda and got.dtype == want.dtype, (got, want)
            torch.testing.assert_close(got.cpu(), want)


def check_compile():
    def step(x, y):
        return torch.nn.functional.gelu(x * 2 + y).sum(-1)

    x, y = torch.randn(64, 300), torch.randn(64, 300)
    equal(torch.compile(step)(x.cuda(), y.cuda()).cpu(), step(x, y), 1e-4)


def check_compile_reduction():
    def loss(x, w):
        return (torch.nn.functional.layer_norm(x, (128,)) * w).tanh().pow(2).mean()

    x, w = torch.randn(32, 128), torch.randn(128)
    equal(torch.compile(loss)(x.cuda(), w.cuda()).cpu(), loss(x, w), 1e-4)


@triton.autotune([triton.Config({"B": b}, num_warps=w) for b in (128, 1024) for w in (2, 8)], key=["n"])
@triton.jit
def tuned(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, 2 * tl.load(x + i, i < n), i < n)


def check_a_tuner_chooses():
    x = torch.rand(98432, device="cuda")
    y = torch.empty_like(x)
    tuned[lambda meta: (triton.cdiv(98432, meta["B"]),)](x, y, 98432)
    equal(y.cpu(), 2 * x.cpu())
    assert tuned.best_config is not None
    once, again = (triton.testing.do_bench(lambda: x + y) for _ in range(2))
    assert once == again > 0, (once, again)


def trained(device, compiled=False):
    """The losses of twenty steps of a small GPT."""
    torch.manual_seed(1)
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True, norm_first=True)
    model = torch.nn.Sequential(torch.nn.Embedding(97, 64), torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), torch.nn.Linear(64, 97))
    words = torch.randint(0, 97, (4, 33))
    model, words = model.to(device), words.to(device)
    step = torch.compile(model) if compiled else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(20):
        loss = torch.nn.functional.cross_entropy(step(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return torch.tensor(losses)


def check_a_small_gpt_trains():
    equal(trained("cuda"), trained("cpu"), 1e-3)


def check_a_small_gpt_trains_compiled():
    equal(trained("cuda", compiled=True), trained("cpu"), 1e-3)


def check_a_convolution_and_cells():
    torch.manual_seed(2)
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(392, 3))
    for module, x in ((net, torch.randn(2, 3, 16, 16)), (torch.nn.LSTM(5, 7, 2, bidirectional=True), torch.randn(3, 2, 5)), (torch.nn.GRU(5, 7, 2), torch.randn(3, 2, 5))):
        gradients = []
        for device in ("cpu", "cuda"):
            module, result = module.to(device), module.to(device)(x.to(device))
            (result if isinstance(result, torch.Tensor) else result[0]).pow(2).sum().backward()
            gradients.append([p.grad.cpu().clone() for p in module.parameters()])
            module.zero_grad()
        for one, other in zip(*gradients):
            equal(one, other, 1e-3)


# What PyTorch's users have published of a card for these seeds.
def check_a_cards_random_numbers():
    torch.manual_seed(0)
    equal(torch.rand(8, device="cuda").cpu(), torch.tensor([0.3990, 0.5167, 0.0249, 0.9401, 0.9459, 0.7967, 0.4150, 0.8203]), 6e-5)
    torch.manual_seed(0)
    equal(torch.randn(6, device="cuda").cpu(), torch.tensor([-0.9247, -0.4253, -2.6438, 0.1452, -0.1209, -0.5797]), 6e-5)
    # https://github.com/pytorch/pytorch/issues/158398
    x = torch.randn([1, 64, 2048], generator=torch.Generator(device="cuda").manual_seed(42), device="cuda")
    equal(x[0, 0, [0, 1, 2, -3, -2, -1]].cpu(), torch.tensor([0.1940, 2.1614, -0.1721, 1.4540, -2.7733, -0.8932]), 6e-5)


def check_fused_attention():
    q, k, v = (torch.randn(2, 4, 33, 16) for _ in range(3))
    kinds = torch.nn.attention.SDPBackend
    plain = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    for fused in (kinds.EFFICIENT_ATTENTION, kinds.MATH):
        with torch.nn.attention.sdpa_kernel(fused):
            equal(torch.nn.functional.scaled_dot_product_attention(q.cuda(), k.cuda(), v.cuda(), is_causal=True).cpu(), plain, 1e-4)
    with torch.nn.attention.sdpa_kernel(kinds.EFFICIENT_ATTENTION):
        fails("with dropout is not answered", lambda: torch.nn.functional.scaled_dot_product_attention(q.cuda(), k.cuda(), v.cuda(), dropout_p=0.5))


def check_a_graph_captures_no_answer():
    x = torch.ones(4, device="cuda")

    def capture():
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            x + 1

    fails("cannot be captured", capture)
    equal((x + 1).cpu(), torch.full((4,), 2.0))


def check_refused_where_that_is_asked():
    program = "import torch; torch.ones(2, device='cuda') + 1"
    ended = subprocess.run([sys.executable, "-c", program], env={**os.environ, "LABS_SIM_TORCH": "refuse", "LABS_SIM_REFUSALS": ""}, capture_output=True, text=True)
    assert ended.returncode != 0 and "machine code alone" in ended.stderr, ended


def fails(words, call):
    try:
        call()
    except Exception as error:
        assert words in str(error), error
    else:
        raise AssertionError("it went through")


def check_devices_are_not_mixed():
    fails("same device", lambda: torch.ones(2, device="cuda") + torch.ones(2))


def check_results_that_grow():
    x = torch.tensor([3.0, -1.0, 2.0], device="cuda")
    out = torch.empty(0, device="cuda")
    torch.mul(x, 2, out=out)
    equal(out.cpu(), torch.tensor([6.0, -2.0, 4.0]))
    assert (x > 0).nonzero().flatten().tolist() == [0, 2] and repr(x[x > 0]) == "tensor([3., 2.], device='cuda:0')", x


run(f"PyTorch {torch.__version__}, Triton {triton.__version__}", globals())
