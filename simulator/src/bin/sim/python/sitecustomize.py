"""Python's `sitecustomize` under `sim`: what is done once a library has been imported."""

import functools
import importlib.machinery
import importlib.util
import os
import sys

HERE = os.path.dirname(__file__)


def answer(torch):
    """PyTorch's own operations, unless today's refusals are asked for."""
    if torch.version.cuda and os.environ.get("LABS_SIM_TORCH") != "refuse":
        spec = importlib.util.spec_from_file_location("labs_sim_answers", os.path.join(HERE, "answers.py"))
        sys.modules[spec.name] = answers = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(answers)
        torch._labs_sim = answers.register()


def without_pool(cupy):
    """CuPy's pool rounds sizes up and hands out parts of larger allocations, so an array has no bounds of its own there: each is an allocation."""
    cupy.cuda.set_allocator(None)


def with_lines(decorators):
    """A report by lines wants them of every kernel; numba adds them where it is asked to."""
    own = decorators.jit

    @functools.wraps(own)
    def jit(*args, **kwargs):
        if len(args) < 5 and not kwargs.get("debug") and not os.environ.get("NUMBA_CUDA_DEBUGINFO"):
            kwargs.setdefault("lineinfo", True)
        return own(*args, **kwargs)

    decorators.jit = jit


def once(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """As Triton's `do_bench`: simulated time has no noise, so one measurement is enough, after a run that compiles."""
    import torch

    fn()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    for tensor in grad_to_none or []:
        tensor.grad = None
    begin.record()
    fn()
    end.record()
    end.synchronize()
    time = begin.elapsed_time(end)
    if quantiles is not None and len(quantiles) > 1:
        return [time] * len(quantiles)
    return [time] if return_mode == "all" and quantiles is None else time


def tune_by_triton(testing):
    testing.do_bench = once


def tune_by_inductor(benchmarking):
    for kind in vars(benchmarking).values():
        if isinstance(kind, type) and "benchmark_gpu" in vars(kind):
            kind.benchmark_gpu = lambda self, fn, *args, return_mode="mean", **kwargs: once(fn, return_mode=return_mode)


AFTER = {"torch": answer, "triton.testing": tune_by_triton, "torch._inductor.runtime.benchmarking": tune_by_inductor}
if os.environ.get("LABS_SIM_SANITIZE"):
    AFTER["cupy"] = without_pool
if os.environ.get("LABS_SIM_SOURCES"):
    AFTER["numba.cuda.decorators"] = with_lines


class After:
    """Finds these modules as ever, and calls what comes after."""

    def find_spec(self, name, path=None, target=None):
        if name not in AFTER:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        if spec and spec.loader:
            execute, after = spec.loader.exec_module, AFTER.pop(name)

            def exec_module(module):
                execute(module)
                after(module)

            spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, After())
# The file of this name that this one stands in front of.
sys.path[:] = [path for path in sys.path if path != HERE]
if own := importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path):
    own.loader.exec_module(importlib.util.module_from_spec(own))
