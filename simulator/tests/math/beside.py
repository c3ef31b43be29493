#!/usr/bin/env python3
"""The stand-in beside cuBLAS itself, on a card: the largest error of each against float64, and the time of a call as device time.

    simulator/tests/math/beside.py PATH/OF/libmath.so PATH/OF/libcublas.so

Needs CuPy and a GPU. Both libraries get the same arguments, in one stream. A time is the shortest of five series between two events.
"""

import ctypes
import sys

import cupy
import numpy

N, T = 0, 1
R_32F, R_64F, R_16F, R_16BF = 0, 1, 2, 14
COMPUTE_32F, COMPUTE_64F, COMPUTE_16F = 68, 70, 64
TYPES = {R_32F: numpy.float32, R_64F: numpy.float64, R_16F: numpy.float16}
LETTERS = {numpy.dtype(numpy.float32): "S", numpy.dtype(numpy.float64): "D"}
LONG = ctypes.c_longlong


def ok(code, name):
    if code != 0:
        raise RuntimeError(f"{name} ended with {code}")


class Library:
    def __init__(self, path, stream):
        self.functions = ctypes.CDLL(path)
        self.handle = ctypes.c_void_p()
        ok(self.functions.cublasCreate_v2(ctypes.byref(self.handle)), "cublasCreate")
        ok(self.functions.cublasSetStream_v2(self.handle, ctypes.c_void_p(stream.ptr)), "cublasSetStream")

    def call(self, name, *given):
        ok(getattr(self.functions, name)(self.handle, *given), name)


def at(array):
    return ctypes.c_void_p(array.data.ptr)


def factor(value, kind):
    element = {R_64F: ctypes.c_double}.get(kind, ctypes.c_float)
    return ctypes.byref(element(value))


def random(shape, dtype, seed):
    values = numpy.random.default_rng(seed).uniform(-1, 1, shape)
    return cupy.asarray(values.astype(dtype))


def error(got, want, scale):
    got = cupy.asnumpy(got).astype(numpy.float64)
    return float(numpy.max(numpy.abs(got - want)) / scale)


def product(library, m, n, k, kind, operations, batch):
    dtype, (ta, tb) = TYPES[kind], operations
    a, b = random((batch, m, k), dtype, 1), random((batch, k, n), dtype, 2)
    # Column-major: the memory of the transposed array.
    of = lambda x, turned: cupy.ascontiguousarray(x if turned else x.transpose(0, 2, 1))
    a_in, b_in = of(a, ta), of(b, tb)
    c = cupy.zeros((batch, n, m), dtype)
    lda, ldb = (k if ta else m), (n if tb else k)
    computed = {R_64F: COMPUTE_64F}.get(kind, COMPUTE_32F)

    def once():
        library.call(
            "cublasGemmStridedBatchedEx", ta, tb, m, n, k, factor(0.5, kind), at(a_in), kind, lda, LONG(m * k),
            at(b_in), kind, ldb, LONG(k * n), factor(0.0, kind), at(c), kind, m, LONG(m * n), batch, computed, -1,
        )  # fmt: skip

    def wrong():
        want = 0.5 * numpy.matmul(cupy.asnumpy(a).astype(float), cupy.asnumpy(b).astype(float))
        return error(c.transpose(0, 2, 1), want, 0.5 * k**0.5)

    return once, wrong, 2.0 * m * n * k * batch, "TFLOP/s", 1e-12


def of_vectors(name, n, dtype):
    def make(library):
        x, y = random(n, dtype, 3), random(n, dtype, 4)
        kept, letter = cupy.asnumpy(y).astype(float), LETTERS[numpy.dtype(dtype)]
        kind = R_64F if letter == "D" else R_32F
        answer = (ctypes.c_double if kind == R_64F else ctypes.c_float)()
        host = cupy.asnumpy(x).astype(float)
        if name == "axpy":
            y_kept = y.copy()

            def once():
                library.call(f"cublas{letter}axpy_v2", n, factor(0.25, kind), at(x), 1, at(y), 1)

            def wrong():
                y[...] = y_kept
                once()
                return error(y, kept + 0.25 * host, 1.0)

            return once, wrong, 3.0 * n * x.itemsize, "GB/s", 1e-9
        two = [at(y), 1] if name == "dot" else []

        def once():
            library.call(f"cublas{letter}{name}_v2", n, at(x), 1, *two, ctypes.byref(answer))

        want = {"dot": host @ kept, "nrm2": float(numpy.linalg.norm(host)), "asum": float(numpy.abs(host).sum())}[name]
        return once, lambda: abs(answer.value - want) / n**0.5, (2.0 if two else 1.0) * n * x.itemsize, "GB/s", 1e-9

    return make


def gemv(m, n, dtype, operation):
    def make(library):
        letter = LETTERS[numpy.dtype(dtype)]
        kind = R_64F if letter == "D" else R_32F
        a = random((n, m), dtype, 5)
        rows, columns = (n, m) if operation else (m, n)
        x, y = random(columns, dtype, 6), cupy.zeros(rows, dtype)

        def once():
            library.call(f"cublas{letter}gemv_v2", operation, m, n, factor(1.0, kind), at(a), m, at(x), 1, factor(0.0, kind), at(y), 1)

        def wrong():
            matrix = cupy.asnumpy(a).astype(float)
            return error(y, (matrix if operation else matrix.T) @ cupy.asnumpy(x).astype(float), columns**0.5)

        return once, wrong, 1.0 * m * n * a.itemsize, "GB/s", 1e-9

    return make


def trsm(n, columns, dtype):
    def make(library):
        letter = LETTERS[numpy.dtype(dtype)]
        kind = R_64F if letter == "D" else R_32F
        lower = numpy.tril(numpy.random.default_rng(7).uniform(-1, 1, (n, n)) / n**0.5, -1) + 2 * numpy.eye(n)
        a = cupy.asarray(numpy.ascontiguousarray(lower.T.astype(dtype)))
        b = random((columns, n), dtype, 8)
        kept = b.copy()

        def once():
            library.call(f"cublas{letter}trsm_v2", 0, 0, 0, 0, n, columns, factor(1.0, kind), at(a), n, at(b), n)

        def wrong():
            b[...] = kept
            once()
            want = numpy.linalg.solve(cupy.asnumpy(a).T.astype(float), cupy.asnumpy(kept).T.astype(float))
            return error(b.T, want, 1.0)

        return once, wrong, 1.0 * n * n * columns, "TFLOP/s", 1e-12

    return make


def cases():
    for kind, name in [(R_32F, "f32"), (R_64F, "f64"), (R_16F, "f16")]:
        for size in [512, 1024, 2048, 4096]:
            yield f"gemm {name} {size}", lambda lib, s=size, t=kind: product(lib, s, s, s, t, (N, N), 1)
    yield "gemm f32 TN 2048", lambda lib: product(lib, 2048, 2048, 2048, R_32F, (T, N), 1)
    yield "gemm f32 NT 2048", lambda lib: product(lib, 2048, 2048, 2048, R_32F, (N, T), 1)
    yield "gemm f32 1000x777x333", lambda lib: product(lib, 1000, 777, 333, R_32F, (N, N), 1)
    yield "gemm f32 64x64x64, batch of 512", lambda lib: product(lib, 64, 64, 64, R_32F, (N, N), 512)
    for dtype, name in [(numpy.float32, "f32"), (numpy.float64, "f64")]:
        yield f"gemv {name} 8192", gemv(8192, 8192, dtype, N)
        yield f"gemv {name} T 8192", gemv(8192, 8192, dtype, T)
        yield f"axpy {name} 2^24", of_vectors("axpy", 1 << 24, dtype)
        for reduction in ["dot", "nrm2", "asum"]:
            yield f"{reduction} {name} 2^24", of_vectors(reduction, 1 << 24, dtype)
        yield f"trsm {name} 1024, 1024 columns", trsm(1024, 1024, dtype)


def seconds(once, stream):
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()

    def series(count):
        begin.record(stream)
        for _ in range(count):
            once()
        end.record(stream)
        end.synchronize()
        return cupy.cuda.get_elapsed_time(begin, end) * 1e-3 / count

    series(2)
    count = max(1, min(50, int(0.02 / max(series(1), 1e-6))))
    return min(series(count) for _ in range(5))


def main():
    own, theirs = sys.argv[1:3]
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        libraries = [Library(own, stream), Library(theirs, stream)]
        print(f"{'call':34} {'stand-in':>10} {'cuBLAS':>10} {'unit':8} {'share':>6} {'error':>9} {'its':>9}")
        for name, make in cases():
            rows = []
            for library in libraries:
                once, wrong, work, unit, scale = make(library)
                rate = work / seconds(once, stream) * scale
                stream.synchronize()
                rows.append((rate, wrong()))
                del once, wrong
                cupy.get_default_memory_pool().free_all_blocks()
            (own_rate, own_error), (rate, its_error) = rows
            print(f"{name:34} {own_rate:10.2f} {rate:10.2f} {unit:8} {own_rate / rate:6.2f} {own_error:9.1e} {its_error:9.1e}", flush=True)


if __name__ == "__main__":
    main()
