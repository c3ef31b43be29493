#!/usr/bin/env python3
"""A table of what cuRAND and cuBLAS give, to compare a card's libraries with the stand-in's.

    simulator/tests/math/card_values.py PATH/libcurand.so.10 PATH/libcublas.so.13        on a card, or under `sim` with the bare names
    simulator/tests/math/card_values.py --host PATH/libcurand.so.10                      cuRAND's generators on the host; no card

A line: name, parameters, count, CRC32 of the bytes, sum in f64, first eight values. Two outputs are compared with `diff`. Words, uniform numbers and the
exact products must be equal. Normal numbers may differ in their last places: compare their sums and first values.
"""
import ctypes
import math
import sys
import zlib

HOST = "--host" in sys.argv
PATHS = [word for word in sys.argv[1:] if not word.startswith("--")]
c = ctypes


class Memory:
    """Device memory by the driver's interface, or the host's."""

    def __init__(self):
        if HOST:
            return
        self.cuda = c.CDLL("libcuda.so.1")
        context = c.c_void_p()
        assert self.cuda.cuInit(0) == 0
        assert self.cuda.cuDevicePrimaryCtxRetain(c.byref(context), 0) == 0
        assert self.cuda.cuCtxSetCurrent(context) == 0

    def make(self, size):
        if HOST:
            return c.create_string_buffer(size)
        at = c.c_uint64()
        assert self.cuda.cuMemAlloc_v2(c.byref(at), c.c_size_t(max(size, 8))) == 0
        return at

    def free(self, at):
        if not HOST:
            assert self.cuda.cuMemFree_v2(at) == 0

    def up(self, array):
        at = self.make(c.sizeof(array))
        assert self.cuda.cuMemcpyHtoD_v2(at, c.byref(array), c.c_size_t(c.sizeof(array))) == 0
        return at

    def down(self, at, element, count):
        values = (element * count)()
        if HOST:
            c.memmove(values, at, c.sizeof(values))
        else:
            assert self.cuda.cuCtxSynchronize() == 0
            assert self.cuda.cuMemcpyDtoH_v2(c.byref(values), at, c.c_size_t(c.sizeof(values))) == 0
        return values


def at(pointer):
    return pointer if HOST else c.c_void_p(pointer.value)


def line(name, parameters, values):
    values_of = list(values)
    first = " ".join(f"{value:.9g}" if isinstance(value, float) else f"{value:x}" for value in values_of[:8])
    total = f"{math.fsum(values_of):.10g}" if values_of and isinstance(values_of[0], float) else f"{sum(values_of)}"
    print(name, parameters, len(values_of), f"{zlib.crc32(bytes(values)):08x}", total, first, sep=" | ", flush=True)


FORMS = {
    "bits": ("curandGenerate", c.c_uint32),
    "long": ("curandGenerateLongLong", c.c_uint64),
    "uniform": ("curandGenerateUniform", c.c_float),
    "uniform_double": ("curandGenerateUniformDouble", c.c_double),
    "normal": ("curandGenerateNormal", c.c_float),
    "normal_double": ("curandGenerateNormalDouble", c.c_double),
    "log_normal": ("curandGenerateLogNormal", c.c_float),
    "log_normal_double": ("curandGenerateLogNormalDouble", c.c_double),
}


class Random:
    def __init__(self, library, memory):
        self.library, self.memory = library, memory

    def make(self, kind):
        made = c.c_void_p()
        create = self.library.curandCreateGeneratorHost if HOST else self.library.curandCreateGenerator
        code = create(c.byref(made), kind)
        return code, made

    def case(self, kind, seed, offset, dimensions, order, calls):
        name = f"curand {kind}"
        told = f"seed={seed} offset={offset} dims={dimensions} order={order}"
        code, made = self.make(kind)
        if code:
            print(name, told, f"create answers {code}", sep=" | ")
            return
        for function, value in [
            ("curandSetGeneratorOrdering", None if order is None else c.c_uint(order)),
            ("curandSetPseudoRandomGeneratorSeed", None if seed is None else c.c_ulonglong(seed)),
            ("curandSetQuasiRandomGeneratorDimensions", None if dimensions is None else c.c_uint(dimensions)),
            ("curandSetGeneratorOffset", None if offset is None else c.c_ulonglong(offset)),
        ]:
            if value is not None:
                code = getattr(self.library, function)(made, value)
                if code:
                    print(name, told, f"{function} answers {code}", sep=" | ")
        for call in calls:
            if ":" in call:
                function, value = call.split(":")
                kinds = {"seed": "curandSetPseudoRandomGeneratorSeed", "seeds": "curandGenerateSeeds", "offset": "curandSetGeneratorOffset", "dims": "curandSetQuasiRandomGeneratorDimensions"}
                argument = {"seeds": [], "dims": [c.c_uint(int(value or 0))]}.get(function, [c.c_ulonglong(int(value or 0))])
                print(name, told, call, f"answers {getattr(self.library, kinds[function])(made, *argument)}", sep=" | ")
                continue
            form, count = call.split()
            function, element = FORMS[form]
            count = int(count)
            room = self.memory.make(count * c.sizeof(element))
            more = [element(0.5), element(2.0)] if "normal" in form else []
            code = getattr(self.library, function)(made, at(room), c.c_size_t(count), *more)
            if code:
                print(name, f"{told} {form}", count, f"answers {code}", sep=" | ")
            else:
                line(name, f"{told} {form}", self.memory.down(room, element, count))
            self.memory.free(room)
        self.library.curandDestroyGenerator(made)


ALL_FORMS = ["uniform", "uniform_double", "normal", "normal_double", "log_normal", "log_normal_double"]


def random_table(library, memory):
    random = Random(library, memory)
    for kind in (101, 121, 161):
        for seed in (None, 0, 1, 1234, 2**32, 2**40 + 99, 2**64 - 1):
            random.case(kind, seed, None, None, None, ["bits 1000"])
        for offset in (1, 4095, 4096, 81919, 81920, 81925, 300001, 2**33 + 5, 2**63):
            random.case(kind, 7, offset, None, None, ["bits 20", "uniform 20"])
        for form in ["bits", *ALL_FORMS]:
            for count in (2, 4096, 81920, 82000, 300002):
                random.case(kind, 99, 3, None, None, [f"{form} {count}", "bits 5", f"{form} 64", "bits 5"])
        random.case(kind, 5, None, None, None, ["bits 10", "bits 10", "uniform 7", "uniform_double 7", "normal 10", "bits 3", "normal_double 8", "bits 3"])
        random.case(kind, 5, None, None, None, ["normal 3", "normal_double 3", "long 4", "dims:2", "bits 4"])
        for order in (100, 101, 102, 103, 104, 201):
            random.case(kind, 5, 2, None, order, ["bits 100000", "normal 100000"])
        # Whether a seed or `curandGenerateSeeds` begins anew.
        random.case(kind, 5, 2, None, None, ["bits 4", "seeds:", "bits 4", "seed:5", "bits 4", "offset:2", "bits 4"])
    for kind in (200, 201, 202, 203, 204):
        words = "long" if kind in (203, 204) else "bits"
        for dimensions in (None, 1, 2, 3, 100, 1111, 20000):
            span = dimensions or 1
            for offset in (None, 1, 12345, 2**31, 2**32 - 3, 2**32 + 3, 2**40):
                random.case(kind, None, offset, dimensions, None, [f"{words} {4 * span}", f"uniform {3 * span}", f"{words} {2 * span}"])
            for form in [words, *ALL_FORMS]:
                for points in (1, 1000) if span <= 1111 else (1, 3):
                    random.case(kind, None, None, dimensions, None, [f"{form} {points * span}", f"{form} {5 * span}"])
        random.case(kind, None, None, 1, None, [f"{words} 300001", "normal 100001", "normal_double 70000"])
        random.case(kind, None, 2, 1, None, [f"{words} 4", "dims:2", f"{words} 4", "seeds:", f"{words} 4", "offset:2", f"{words} 4", "seed:5"])
        random.case(kind, None, None, 3, None, ["uniform 4", "bits 3", "long 3", "dims:0", "dims:20001"])
        for order in (101, 201):
            random.case(kind, None, None, 2, order, [f"{words} 10"])
    for name, bits, sets in [("32", 32, (101, 102)), ("64", 64, (103, 104))]:
        for which in sets:
            table = c.c_void_p()
            code = getattr(library, f"curandGetDirectionVectors{name}")(c.byref(table), which)
            if code:
                print(f"direction vectors {name}", which, f"answers {code}", sep=" | ")
            else:
                element = c.c_uint32 if bits == 32 else c.c_uint64
                line(f"direction vectors {name}", which, (element * (20000 * bits)).from_address(table.value))


class Lcg:
    """Whole numbers from -8 to 8."""

    def __init__(self, seed):
        self.state = seed * 2654435761 % 2**32

    def number(self):
        self.state = (self.state * 1664525 + 1013904223) % 2**32
        return (self.state >> 16) % 17 - 8

    def complex(self, count):
        return [complex(self.number(), self.number()) for _ in range(count)]


class Blas:
    def __init__(self, library, memory):
        self.library, self.memory = library, memory
        self.handle = c.c_void_p()
        assert library.cublasCreate_v2(c.byref(self.handle)) == 0

    def flat(self, values, real):
        return (real * (2 * len(values)))(*[part for value in values for part in (value.real, value.imag)])

    def call(self, name, *given):
        function = getattr(self.library, name, None)
        return "no such function" if function is None else function(self.handle, *given)

    def table(self, letter, real):
        unit, kind = ("S", 4) if letter == "C" else ("D", 5)
        compute = 68 if letter == "C" else 70
        both = "Sc" if letter == "C" else "Dz"
        scaled = "Cs" if letter == "C" else "Zd"
        m, n, k = 37, 29, 21
        one = lambda value: self.flat([value], real)
        alpha, beta = one(3 - 2j), one(-1 + 1j)
        op = lambda values, operation, rows, columns: (
            (lambda i, j: values[j * rows + i])
            if operation == 0
            else (lambda i, j: values[i * columns + j] if operation == 1 else values[i * columns + j].conjugate())
        )

        def tell(name, told, code, pointer, count, want=None):
            if code != 0:
                print(f"cublas{name}", told, f"answers {code}", sep=" | ")
                return
            got = self.memory.down(pointer, real, count)
            line(f"cublas{name}", told, got)
            if want is not None:
                error = max(abs(complex(got[2 * i], got[2 * i + 1]) - want[i]) for i in range(count // 2))
                print(f"cublas{name}", told, f"largest error {error:.3g}", sep=" | ")

        a, b, x, y, old = (Lcg(i).complex(count) for i, count in [(1, m * k), (2, k * n), (3, n), (4, m), (5, m * n)])
        up = lambda values: self.memory.up(self.flat(values, real))
        for ta in range(3):
            for tb in range(3):
                pa, pb, pc = up(a), up(b), up(old)
                lda, ldb = (m if ta == 0 else k), (k if tb == 0 else n)
                code = self.call(f"{letter}gemm_v2", ta, tb, m, n, k, alpha, at(pa), lda, at(pb), ldb, beta, at(pc), m)
                of_a, of_b = op(a, ta, m, k), op(b, tb, k, n)
                want = [(3 - 2j) * sum(of_a(i, p) * of_b(p, j) for p in range(k)) + (-1 + 1j) * old[j * m + i] for j in range(n) for i in range(m)]
                tell(f"{letter}gemm", f"{ta}{tb}", code, pc, 2 * m * n, want)
                pc = up(old)
                code = self.call("cublasGemmEx"[6:], ta, tb, m, n, k, alpha, at(pa), kind, lda, at(pb), kind, ldb, beta, at(pc), kind, m, compute, -1)
                tell("GemmEx", f"{letter} {ta}{tb}", code, pc, 2 * m * n, want)
        size = 5
        batch_a, batch_b, batch_c = (Lcg(i).complex(size * count) for i, count in [(6, m * k), (7, k * n), (8, m * n)])
        pa, pb, pc = up(batch_a), up(batch_b), up(batch_c)
        wide = c.c_longlong
        code = self.call(f"{letter}gemmStridedBatched", 2, 1, m, n, k, alpha, at(pa), k, wide(m * k), at(pb), n, wide(k * n), beta, at(pc), m, wide(m * n), size)
        tell(f"{letter}gemmStridedBatched", "21", code, pc, 2 * size * m * n)
        for operation in range(3):
            pa, px, py = up(Lcg(9).complex(m * n)), up(Lcg(10).complex(m + n)), up(Lcg(11).complex(m + n))
            code = self.call(f"{letter}gemv_v2", operation, m, n, alpha, at(pa), m, at(px), -1, beta, at(py), 1)
            tell(f"{letter}gemv", operation, code, py, 2 * (m if operation == 0 else n))
            pa, pb, pc = up(Lcg(12).complex(m * n)), up(old), up(old)
            rows = m if operation == 0 else n
            code = self.call(f"{letter}geam", operation, 0, m, n, alpha, at(pa), rows, beta, at(pb), m, at(pc), m)
            tell(f"{letter}geam", operation, code, pc, 2 * m * n)
        for name in ("geru_v2", "gerc_v2"):
            pa, px, py = up(old), up(Lcg(10).complex(m)), up(Lcg(11).complex(n))
            tell(f"{letter}{name}", "", self.call(f"{letter}{name}", m, n, alpha, at(px), 1, at(py), 1, at(pa), m), pa, 2 * m * n)
        for side in (0, 1):
            pa, px, pc = up(old), up(Lcg(10).complex(m + n)), up(old)
            tell(f"{letter}dgmm", side, self.call(f"{letter}dgmm", side, m, n, at(pa), m, at(px), 1, at(pc), m), pc, 2 * m * n)
            pa, px, pc = up(old), up(Lcg(10).complex(2 * (m + n))), up(old)
            tell(f"{letter}dgmm", f"{side} inc -2", self.call(f"{letter}dgmm", side, m, n, at(pa), m, at(px), -2, at(pc), m), pc, 2 * m * n)
        for fill in (0, 1):
            for operation in (0, 1, 2):
                for name, factors in [("syrk_v2", (alpha, beta)), ("herk_v2", (real_of(real, 2.0), real_of(real, -3.0)))]:
                    pa, pc = up(Lcg(13).complex(n * k)), up(Lcg(14).complex(n * n))
                    lda = n if operation == 0 else k
                    code = self.call(f"{letter}{name}", fill, operation, n, k, factors[0], at(pa), lda, factors[1], at(pc), n)
                    tell(f"{letter}{name}", f"{fill}{operation}", code, pc, 2 * n * n)
                # A product that counts for nothing beside a C that stays: whether the diagonal becomes real.
                pa, pc = up(Lcg(13).complex(n * k)), up(Lcg(14).complex(n * n))
                code = self.call(f"{letter}herk_v2", fill, operation, n, k, real_of(real, 0.0), at(pa), n if operation == 0 else k, real_of(real, 1.0), at(pc), n)
                tell(f"{letter}herk_v2", f"{fill}{operation} alpha 0 beta 1", code, pc, 2 * n * n)
                for side in (0, 1):
                    order = m if side == 0 else n
                    matrix = [value / 64 for value in Lcg(15).complex(order * order)]
                    for i in range(order):
                        matrix[i * order + i] = 2 + 1j
                    pa, pb = up(matrix), up(old)
                    code = self.call(f"{letter}trsm_v2", side, fill, operation, 0, m, n, alpha, at(pa), order, at(pb), m)
                    if code == 0:
                        values = self.memory.down(pb, real, 2 * m * n)
                        print(f"cublas{letter}trsm", f"{side}{fill}{operation}", " ".join(f"{value:.4g}" for value in list(values)[:8]), sep=" | ")
                    else:
                        print(f"cublas{letter}trsm", f"{side}{fill}{operation}", f"answers {code}", sep=" | ")
        for count, step in [(0, 1), (1, 1), (1000, 1), (333, 3)]:
            px, py = up(Lcg(16).complex(1000)), up(Lcg(17).complex(1000))
            for name, result in [(f"{letter}dotu_v2", 2), (f"{letter}dotc_v2", 2)]:
                answer = (real * result)()
                told = self.call(name, count, at(px), step, at(py), step, answer)
                print(f"cublas{name}", f"n={count} inc={step}", told, *list(answer), sep=" | ")
            for name in (f"{both}asum_v2", f"{both}nrm2_v2"):
                answer = real()
                told = self.call(name, count, at(px), step, c.byref(answer))
                print(f"cublas{name}", f"n={count} inc={step}", told, f"{answer.value:.6g}", sep=" | ")
            for name in ("amax", "amin"):
                answer = c.c_int(-1)
                told = self.call(f"I{letter.lower()}{name}_v2", count, at(px), step, c.byref(answer))
                print(f"cublasI{letter.lower()}{name}", f"n={count} inc={step}", told, answer.value, sep=" | ")
            tell(f"{letter}axpy", f"n={count} inc={step}", self.call(f"{letter}axpy_v2", count, alpha, at(px), step, at(py), step), py, 2000)
            tell(f"{letter}scal", f"n={count} inc={step}", self.call(f"{letter}scal_v2", count, alpha, at(px), step), px, 2000)
            tell(f"{scaled}scal", f"n={count} inc={step}", self.call(f"{scaled}scal_v2", count, real_of(real, -2.0), at(px), step), px, 2000)
            tell(f"{letter}swap", f"n={count} inc={step}", self.call(f"{letter}swap_v2", count, at(px), step, at(py), -step), py, 2000)
            tell(f"{letter}copy", f"n={count} inc={step}", self.call(f"{letter}copy_v2", count, at(py), step, at(px), -step), px, 2000)


def real_of(real, value):
    return c.byref(real(value))


class Named:
    """A library whose functions of cuBLAS are called without their first word."""

    def __init__(self, library):
        self.library = library

    def __getattr__(self, name):
        return getattr(self.library, name if name.startswith("cublas") else f"cublas{name}")


def main():
    memory = Memory()
    random_table(c.CDLL(PATHS[0]), memory)
    if not HOST:
        library = Named(c.CDLL(PATHS[1]))
        for letter, real in [("C", c.c_float), ("Z", c.c_double)]:
            Blas(library, memory).table(letter, real)


main()
