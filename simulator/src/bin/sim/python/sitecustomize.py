"""Python's `sitecustomize` under `sim`: what is done once a library has been imported."""

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


def measure_once(testing):
    """Simulated time has no noise, so a tuner measures each configuration once, after a run that compiles it."""
    import statistics

    import torch

    def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
        fn()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        for tensor in grad_to_none or []:
            tensor.grad = None
        begin.record()
        fn()
        end.record()
        end.synchronize()
        time = begin.elapsed_time(end)
        if quantiles is not None:
            return [time] * len(quantiles) if len(quantiles) > 1 else time
        return [time] if return_mode == "all" else statistics.mean([time])

    testing.do_bench = do_bench


def inductor_once(benchmarking):
    once = {}
    measure_once(type("Holder", (), {"__setattr__": lambda self, name, value: once.update({name: value})})())
    for name in ("benchmark_gpu",):
        for kind in vars(benchmarking).values():
            if isinstance(kind, type) and name in vars(kind):
                setattr(kind, name, lambda self, fn, *args, return_mode="mean", **kwargs: once["do_bench"](fn, return_mode=return_mode))


AFTER = {"torch": answer, "triton.testing": measure_once, "torch._inductor.runtime.benchmarking": inductor_once}
if os.environ.get("LABS_SIM_SANITIZE"):
    AFTER["cupy"] = without_pool


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
