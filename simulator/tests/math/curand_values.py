#!/usr/bin/env python3
"""Writes `curand_values.txt`: what cuRAND itself gives. Its generators on the host give the numbers of those on a card, and need no card.

    simulator/tests/math/curand_values.py PATH/OF/libcurand.so.10 > simulator/tests/math/curand_values.txt

With --device the numbers are made on a card, for a comparison with the stored ones. The library's wheel is nvidia-curand-cu12.
"""

import ctypes
import sys

FORMS = {
    "bits": ("curandGenerate", ctypes.c_uint32, False),
    "long": ("curandGenerateLongLong", ctypes.c_uint64, False),
    "uniform": ("curandGenerateUniform", ctypes.c_float, False),
    "uniform_double": ("curandGenerateUniformDouble", ctypes.c_double, False),
    "normal": ("curandGenerateNormal", ctypes.c_float, True),
    "normal_double": ("curandGenerateNormalDouble", ctypes.c_double, True),
    "log_normal": ("curandGenerateLogNormal", ctypes.c_float, True),
    "log_normal_double": ("curandGenerateLogNormalDouble", ctypes.c_double, True),
}
# Calls one after the other; counts around a turn of all sequences, and turns that a call leaves unfinished.
CALLS = [
    (0, 0, ["bits 10", "uniform 9000", "uniform_double 10"]),
    (1234, 0, ["bits 300002", "normal 20000", "bits 7"]),
    (1234, 5, ["uniform_double 262142", "bits 20", "uniform_double 300002", "bits 5"]),
    (2**40 + 99, 300001, ["normal_double 270000", "uniform 4099", "log_normal 64", "log_normal_double 10", "bits 3"]),
    # A new seed, or the seeds made again, after numbers were given.
    (5, 0, ["bits 3", "seed 7", "bits 4", "seeds 0", "bits 5", "seed 7", "bits 9"]),
    (5, 2, ["bits 13", "seed 9", "bits 1000", "seeds 0", "uniform 8", "seed 10", "bits 8"]),
    (5, 4100, ["uniform 90000", "seeds 0", "normal 640", "seed 11", "bits 6", "uniform_double 100", "seeds 0", "bits 6"]),
]
# Of Sobol's sequences: the offset, the dimensions, the calls. The points of a call go on where those of the one before it ended.
SOBOL_CALLS = [
    (0, 1, ["WORDS 10", "uniform 1001", "uniform_double 1000", "normal 33", "normal_double 34", "WORDS 70000"]),
    (12345, 7, ["uniform_double 7007", "WORDS 21", "log_normal 70", "log_normal_double 700", "normal 77"]),
    (2**32 - 3, 3, ["WORDS 30", "uniform 300"]),
    (0, 20000, ["WORDS 60000", "uniform_double 20000"]),
]


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def main():
    is_device = "--device" in sys.argv
    library = ctypes.CDLL([word for word in sys.argv[1:] if word != "--device"][0])
    runtime = ctypes.CDLL("libcudart.so.12") if is_device else None

    def ok(code):
        if code != 0:
            sys.exit(f"a call ended with {code}")

    print("# made by curand_values.py with cuRAND itself; do not edit")
    pseudo = [(kind, seed, offset, 0, calls) for kind in (101, 161, 121) for seed, offset, calls in CALLS]
    quasi = [(kind, 0, offset, dimensions, calls) for kind in (201, 203) for offset, dimensions, calls in SOBOL_CALLS]
    for kind, seed, offset, dimensions, calls in pseudo + quasi:
        generator = ctypes.c_void_p()
        create = library.curandCreateGenerator if is_device else library.curandCreateGeneratorHost
        ok(create(ctypes.byref(generator), kind))
        if dimensions:
            ok(library.curandSetQuasiRandomGeneratorDimensions(generator, ctypes.c_uint(dimensions)))
        else:
            ok(library.curandSetPseudoRandomGeneratorSeed(generator, ctypes.c_ulonglong(seed)))
        ok(library.curandSetGeneratorOffset(generator, ctypes.c_ulonglong(offset)))
        print(f"generator {kind} {seed} {offset}", *[dimensions] if dimensions else [])
        for call in calls:
            form, count = call.split()[0], int(call.split()[1])
            if form.startswith("seed"):
                ok(library.curandSetPseudoRandomGeneratorSeed(generator, ctypes.c_ulonglong(count)) if form == "seed" else library.curandGenerateSeeds(generator))
                print(call)
                continue
            form = form.replace("WORDS", "long" if kind == 203 else "bits")
            function, element, has_mean = FORMS[form]
            values = (element * count)()
            to = ctypes.c_void_p(ctypes.addressof(values))
            if is_device:
                ok(runtime.cudaMalloc(ctypes.byref(to), ctypes.c_size_t(ctypes.sizeof(values))))
            ok(getattr(library, function)(generator, to, ctypes.c_size_t(count), *[element(0.5), element(2)] if has_mean else []))
            if is_device:
                ok(runtime.cudaMemcpy(values, to, ctypes.c_size_t(ctypes.sizeof(values)), 2))
            told = [repr(values[i]) for i in (0, 1, count // 2, count - 1)] if has_mean else [f"{fnv(bytes(values)):016x}"]
            print(form, count, *told)
        library.curandDestroyGenerator(generator)


main()
