"""Triton's own tutorials 01 to 08, from a tree of its sources ($TUTORIALS), each against PyTorch's own operations as the tutorial says; then the layer
norm with a fault: its lock is not taken, and the race that follows fails test_lock_not_taken by name. Benchmarks are left out; else the text is as it is, but
for sizes named here. Tutorials that only print are judged by what they print and leave behind.
"""

import importlib.util
import os
import re
import sys
import types
from pathlib import Path

import pytest
import torch
import triton

FOLDER = Path(os.environ["TUTORIALS"])


def load(name, tmp_path, *changes):
    """The tutorial as a module, after `changes`, each of which must hit."""
    text = (FOLDER / f"{name}.py").read_text()
    for old, new in changes:
        assert text.count(old) == 1, f"{name} has no single {old!r}"
        text = text.replace(old, new)
    # Kernels are read from a file.
    path = tmp_path / f"{name}.py"
    path.write_text(text)
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(f"tutorial_{name[:2]}", path))
    sys.modules[module.__name__] = module
    module.__spec__.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def no_benchmarks(monkeypatch):
    monkeypatch.setattr(triton.testing.Mark, "run", lambda *_, **__: None)


def differences(text):
    return [float(number) for number in re.findall(r"difference between torch and triton is (\S+)", text)]


def test_01_vector_add(tmp_path, capsys):
    load("01-vector-add", tmp_path)
    assert differences(capsys.readouterr().out) == [0.0]


def test_02_fused_softmax(tmp_path):
    load("02-fused-softmax", tmp_path)


def test_03_matrix_multiplication(tmp_path, capsys):
    load("03-matrix-multiplication", tmp_path, *((f"{x} = torch.{y}((512, 512)", f"{x} = torch.{y}((192, 192)") for x in "ab" for y in ("rand", "randn")))
    told = capsys.readouterr().out
    assert "match" in told and "differ" not in told, told


def test_04_low_memory_dropout(tmp_path, monkeypatch):
    table = types.ModuleType("tabulate")
    table.tabulate = str
    monkeypatch.setitem(sys.modules, "tabulate", table)
    module = load("04-low-memory-dropout", tmp_path)
    keep = torch.tensor([1, 0, 1, 1, 0, 0, 1, 0, 1, 1], dtype=torch.int32, device="cuda")
    torch.testing.assert_close(module.dropout(module.x, x_keep=keep, p=0.5), module.x * keep / 0.5)
    assert torch.equal(module.output, module.output2) and not torch.equal(module.output, module.output3)
    kept = module.output != 0
    torch.testing.assert_close(module.output[kept], module.x[kept] / 0.5)


def test_05_layer_norm(tmp_path):
    load("05-layer-norm", tmp_path, LAYER_NORM).test_layer_norm(301, 781, torch.float16)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("mode, numbers", [("fwd", "fp8"), ("bwd", "fp16")])
def test_06_fused_attention(tmp_path, mode, numbers, causal):
    load("06-fused-attention", tmp_path).test_op(1, 2, 128, 64, causal, False, mode, f"triton-{numbers}", torch.float16)


def test_07_extern_functions(tmp_path, capsys):
    libdevice = str(Path(triton.__file__).parent / "backends/nvidia/lib")
    load("07-extern-functions", tmp_path, ("str(libdir / 'libdevice.10.bc')", f"{libdevice + '/libdevice.10.bc'!r}"))
    found = differences(capsys.readouterr().out)
    assert len(found) == 2 and max(found) < 1e-6, found


def test_08_grouped_gemm(tmp_path):
    # Multiples of the largest tile, which the kernel takes them for.
    sizes = [(f"group_{name} = [1024, 512, 256, 128]", f"group_{name} = [384, 128, 256, 128]") for name in "mnk"]
    # Descriptors that the kernel makes by `tensormap.replace` are refused by name.
    load("08-grouped-gemm", tmp_path, *sizes, ("\nif supports_tma():\n    tri_tma_out", "\nif False:\n    tri_tma_out"))


# Run at the tutorial's import, at a size that takes minutes here.
LAYER_NORM = ("\ntest_layer_norm(1151, 8192, torch.float16)\n", "\n")


def test_lock_not_taken(tmp_path):
    taken = ("    while tl.atomic_cas(Lock, 0, 1) == 1:\n        pass\n", "")
    module = load("05-layer-norm", tmp_path, LAYER_NORM, taken)
    module.test_layer_norm(301, 781, torch.float16)
