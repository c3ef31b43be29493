#!/usr/bin/env python3
"""The stand-in beside cuFFT itself, on a card: the largest error of each against cuFFT in f64, relative to the largest value, and the time of a call.

    simulator/tests/math/beside_cufft.py PATH/OF/libmath.so PATH/OF/libcufft.so

Needs the driver alone. Both libraries get the same arguments. A time is the shortest of five series of ten calls between two events.
"""

import array
import ctypes as c
import random
import sys

C2C, Z2Z, R2C, D2Z = 0x29, 0x69, 0x2A, 0x6A
EXECUTE = {C2C: "cufftExecC2C", Z2Z: "cufftExecZ2Z", R2C: "cufftExecR2C", D2Z: "cufftExecD2Z"}
CASES = [((256,), 4096), ((1000,), 1024), ((4096,), 256), ((59049,), 16), ((1 << 20,), 1), ((512, 512), 1), ((64, 64, 64), 1), ((127 * 8,), 64)]


def ok(code, name):
    if code != 0:
        raise RuntimeError(f"{name} ended with {code}")


class Driver:
    def __init__(self):
        self.library = c.CDLL("libcuda.so.1")
        context = c.c_void_p()
        self("cuInit", 0)
        self("cuDevicePrimaryCtxRetain", c.byref(context), 0)
        self("cuCtxSetCurrent", context)

    def __call__(self, name, *given):
        ok(getattr(self.library, name)(*given), name)

    def up(self, values):
        at, size = c.c_uint64(), c.c_size_t(len(values) * values.itemsize)
        self("cuMemAlloc_v2", c.byref(at), size)
        self("cuMemcpyHtoD_v2", at, (c.c_char * size.value).from_buffer(values), size)
        return at

    def down(self, at, code, count):
        values = array.array(code, bytes(array.array(code).itemsize * count))
        size = c.c_size_t(count * values.itemsize)
        self("cuMemcpyDtoH_v2", (c.c_char * size.value).from_buffer(values), at, size)
        return values


def transform(driver, library, kind, lengths, batch, given, code):
    """The values, and a call's microseconds."""
    points = 1
    for length in lengths:
        points *= length
    out = points // lengths[-1] * (lengths[-1] // 2 + 1) if kind in (R2C, D2Z) else points
    plan, sizes = c.c_int(), (c.c_int * len(lengths))(*lengths)
    ok(library.cufftPlanMany(c.byref(plan), len(lengths), sizes, None, 1, points, None, 1, out, kind, batch), "cufftPlanMany")
    source = driver.up(array.array(code, given))
    to = driver.up(array.array(code, bytes(array.array(code).itemsize * 2 * out * batch)))
    run = getattr(library, EXECUTE[kind])
    direction = [-1] if kind in (C2C, Z2Z) else []
    once = lambda: ok(run(plan, c.c_void_p(source.value), c.c_void_p(to.value), *direction), EXECUTE[kind])
    once()
    values = driver.down(to, code, 2 * out * batch)
    events = [c.c_void_p(), c.c_void_p()]
    for event in events:
        driver("cuEventCreate", c.byref(event), 0)
    shortest = float("inf")
    for _ in range(5):
        driver("cuEventRecord", events[0], None)
        for _ in range(10):
            once()
        driver("cuEventRecord", events[1], None)
        driver("cuEventSynchronize", events[1])
        passed = c.c_float()
        driver("cuEventElapsedTime", c.byref(passed), *events)
        shortest = min(shortest, passed.value * 100)
    ok(library.cufftDestroy(plan), "cufftDestroy")
    for memory in (source, to):
        driver("cuMemFree_v2", memory)
    return values, shortest


def main():
    driver = Driver()
    ours, theirs = c.CDLL(sys.argv[1]), c.CDLL(sys.argv[2])
    print("| transform | error f32 | cuFFT's | error f64 | µs f32 | cuFFT's | µs f64 | cuFFT's |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for lengths, batch in CASES:
        points = batch
        for length in lengths:
            points *= length
        made = random.Random(1)
        # Values that f32 has.
        given = array.array("f", (made.uniform(-1, 1) for _ in range(2 * points)))
        for single, double, count in [(C2C, Z2Z, 2 * points), (R2C, D2Z, points)]:
            source = given[:count]
            want, double_theirs = transform(driver, theirs, double, lengths, batch, source, "d")
            own_double, double_ours = transform(driver, ours, double, lengths, batch, source, "d")
            own, single_ours = transform(driver, ours, single, lengths, batch, source, "f")
            real, single_theirs = transform(driver, theirs, single, lengths, batch, source, "f")
            most = max(map(abs, want))
            wrong = lambda got: max(abs(a - b) for a, b in zip(got, want)) / most
            name = "×".join(map(str, lengths)) + (f", batch of {batch}" if batch > 1 else "") + (" complex" if single == C2C else " real")
            print(f"| {name} | {wrong(own):.1e} | {wrong(real):.1e} | {wrong(own_double):.1e} "
                  f"| {single_ours:.1f} | {single_theirs:.1f} | {double_ours:.1f} | {double_theirs:.1f} |", flush=True)  # fmt: skip


main()
