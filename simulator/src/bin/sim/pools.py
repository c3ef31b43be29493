"""Python's `sitecustomize` under `sim --sanitize`. CuPy's pool rounds sizes up and hands out parts of larger allocations, so an array has no
bounds of its own there: once CuPy is loaded, each array is an allocation."""

import importlib.machinery
import importlib.util
import os
import sys


class WithoutPool:
    def find_spec(self, name, path=None, target=None):
        if name != "cupy":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec and spec.loader:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                module.cuda.set_allocator(None)

            spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, WithoutPool())
# The file of this name that this one stands in front of.
sys.path[:] = [path for path in sys.path if path != os.path.dirname(__file__)]
if own := importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path):
    own.loader.exec_module(importlib.util.module_from_spec(own))
