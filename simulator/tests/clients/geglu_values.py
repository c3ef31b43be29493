"""GEGLU in bf16 at the shape at which a test of Liger-Kernel (9, 41, 341, 4231; atol 1e4, rtol 6e-3) fails under `sim`: by the kernel, by PyTorch's
operations, and in f64. Each line has the largest difference, in units of the test's tolerance, of both from one another and from f64. Run it under `sim`
and on a card: numbers of the same seed are the same on both.

    python3 simulator/tests/clients/geglu_values.py
"""

import torch
from liger_kernel.ops.geglu import LigerGELUMulFunction

ATOL, RTOL = 1e4, 6e-3


def layer(x, gate, up, down, product):
    return product(x @ gate.T, x @ up.T) @ down.T


def gradients(values, product):
    leaves = [value.clone().requires_grad_() for value in values]
    result = layer(*leaves, product)
    result.backward(torch.ones_like(result))
    return [result.detach(), *(leaf.grad for leaf in leaves)]


def own(gate, up):
    return torch.nn.functional.gelu(gate, approximate="tanh") * up


def off(got, want):
    got, want = got.double().cpu(), want.double().cpu()
    return ((got - want).abs() / (ATOL + RTOL * want.abs())).max().item()


torch.manual_seed(0)
sizes = [(9 * 41, 341), (4231, 341), (4231, 341), (341, 4231)]
values = [torch.randn(size, device="cuda").bfloat16() for size in sizes]
kernel, plain = gradients(values, LigerGELUMulFunction.apply), gradients(values, own)
exact = gradients([value.double().cpu() for value in values], own)
for name, by_kernel, by_torch, right in zip(["result", "x", "gate", "up", "down"], kernel, plain, exact):
    print(f"{name:7} kernel from torch {off(by_kernel, by_torch):.3g}, kernel from f64 {off(by_kernel, right):.3g}, torch from f64 {off(by_torch, right):.3g}")
