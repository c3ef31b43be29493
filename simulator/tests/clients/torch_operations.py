"""PyTorch's own database of operations, on the simulated card and on the CPU: forward, and backward where it is differentiable. The wheel carries the
database; each operation's samples are drawn by it.

    torch_operations.py [TYPE…] [NAME…]        float32, and all operations"""

import sys
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_leaves, tree_map

MOST_SAMPLES = 6
# Their numbers are drawn, so the two differ.
DRAWN = "rand normal dropout bernoulli multinomial uniform exponential geometric cauchy log_normal rrelu lowrank empty fractional multi_head scaled_dot".split()
# Run by NVRTC and no CPU; of memory beyond the tensor, which a copy does not carry.
ELSEWHERE = "jiterator partial_views".split()
# The CPU has no kernel for these either, or the card's takes types that the CPU's does not.
WITHOUT = "for_cpu _efficient_attention_forward _flash_attention_forward _softmax_backward_data linalg.lu sparse.mm fft. histc nanmean nansum".split()


def on_cpu(value):
    if isinstance(value, torch.Tensor):
        return value.detach().cpu().clone().requires_grad_(value.requires_grad)
    return "cpu" if isinstance(value, str) and value.startswith("cuda") or isinstance(value, torch.device) else value


def dense(value):
    value = value.detach().cpu() if isinstance(value, torch.Tensor) else value
    return value.to_dense() if isinstance(value, torch.Tensor) and value.layout != torch.strided else value


def gradients(result, inputs):
    of = lambda tree: [t for t in tree_leaves(tree) if isinstance(t, torch.Tensor) and t.requires_grad and t.layout == torch.strided]
    ends, begins = of(result), of(inputs)
    return torch.autograd.grad(ends, begins, [torch.ones_like(t) for t in ends], allow_unused=True) if ends and begins else ()


def tried(operation, kind):
    """How many samples agree."""
    differentiable = kind in operation.supported_backward_dtypes("cuda")
    loose = {} if kind in (torch.float32, torch.float64) else {"atol": 1e-2, "rtol": 1e-2}
    agree = 0
    for sample in list(operation.sample_inputs("cuda", kind, requires_grad=differentiable))[:MOST_SAMPLES]:
        there = [sample.input, sample.args, sample.kwargs]
        here = tree_map(on_cpu, there)
        got, want = (operation(x, *args, **kwargs) for x, args, kwargs in (there, here))
        if not any(word in operation.name for word in DRAWN):
            torch.testing.assert_close(tree_map(dense, got), tree_map(dense, want), equal_nan=True, check_stride=False, **loose)
            try:
                wanted = gradients(want, here)
            except (RuntimeError, NotImplementedError):
                continue  # The CPU has none.
            both = [(g, w) for g, w in zip(gradients(got, there), wanted) if w is not None]
            for g, w in both:
                torch.testing.assert_close(dense(g), dense(w), equal_nan=True, atol=1e-2, rtol=1e-2)
        agree += 1
    return agree


def main(words):
    warnings.simplefilter("ignore")
    kinds = [getattr(torch, word) for word in words if isinstance(getattr(torch, word, None), torch.dtype)] or [torch.float32]
    names = [word for word in words if not isinstance(getattr(torch, word, None), torch.dtype)]
    agree, operations, failed = 0, 0, []
    for operation in op_db:
        full = f"{operation.name} {operation.variant_test_name}".strip()
        if names and operation.name not in names or any(word in full for word in ELSEWHERE + WITHOUT):
            continue
        for kind in kinds:
            if kind in operation.supported_dtypes("cuda") and kind in operation.supported_dtypes("cpu"):
                operations += 1
                try:
                    agree += tried(operation, kind)
                except Exception as error:
                    failed.append(f"{full} of {kind}: {str(error).splitlines()[0]}")
    print(*failed, sep="\n")
    print(f"PyTorch {torch.__version__}: {operations} operations by types, {agree} samples agree with the CPU, {len(failed)} operations differ")
    return bool(failed)


sys.exit(main(sys.argv[1:]))
