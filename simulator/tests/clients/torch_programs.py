"""PyTorch from its wheel, whose own kernels are machine code and refused: copies, Triton's kernels on tensors, and what `torch.compile` makes."""

import torch
import triton
import triton.language as tl
from programs import equal, run

# Inductor then takes its first configuration of a kernel and measures none: before each measurement it clears a cache by a kernel of PyTorch's.
torch.use_deterministic_algorithms(True)
torch.utils.deterministic.fill_uninitialized_memory = False


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


def check_own_kernels_are_refused():
    try:
        torch.rand(10).cuda() + 1
    except RuntimeError as error:
        assert "machine code alone" in str(error), error
    else:
        raise AssertionError("PyTorch's wheel has PTX: tell of it in docs/simulator/programs.md")


run(f"PyTorch {torch.__version__}, Triton {triton.__version__}", globals())
