"""Twelve and more pairs of a kernel and the same with one thing mended, on a card: `python3 docs/measurements/advice-pairs.py pairs.cubin > data/h200-advice.csv`, where pairs.cubin is
`nvcc -cubin -arch=sm_90 simulator/tests/advice/pairs.cu`. Each line of `pairs.txt`: median µs a launch of both, of 40 captured graphs of 20 launches each, taken in turns. On the simulated
card: `LABS_SIM_PROFILE=h200 cargo test -p simulator --test advice -- --nocapture`, whose figures stand beside them in docs/simulator/clock.md."""
import ctypes as C, pathlib, statistics, sys

from opened import cu, made, ok

LAUNCHES, GRAPHS, BYTES = 20, 40, 16 << 20

module = made(cu.cuModuleLoad, sys.argv[1].encode())
stream = made(cu.cuStreamCreate, 1)
begin, end = (made(cu.cuEventCreate, 0) for _ in range(2))
buffers = [made(cu.cuMemAlloc_v2, C.c_size_t(BYTES)) for _ in range(2)]
for buffer in buffers:
    ok(cu.cuMemsetD32_v2(buffer, 0x3F800000, C.c_size_t(BYTES // 4)))


def graph(cell, n):
    """A graph of launches of `kernel, grid, block`."""
    name, *edges = (part.strip() for part in cell.split(","))
    (gx, gy), (bx, by) = (([int(edge) for edge in edge.split()] + [1])[:2] for edge in edges)
    function = made(cu.cuModuleGetFunction, module, name.encode())
    values = [C.c_uint64(buffers[0].value), C.c_uint64(buffers[1].value), C.c_int(n)]
    parameters = (C.c_void_p * 3)(*(C.addressof(value) for value in values))
    ok(cu.cuStreamBeginCapture_v2(stream, 2))
    for _ in range(LAUNCHES):
        ok(cu.cuLaunchKernel(function, gx, gy, 1, bx, by, 1, 0, stream, parameters, None))
    captured = C.c_void_p()
    ok(cu.cuStreamEndCapture(stream, C.byref(captured)))
    return made(cu.cuGraphInstantiateWithFlags, captured, C.c_ulonglong(0))


def time(launched):
    milliseconds = C.c_float()
    ok(cu.cuEventRecord(begin, stream))
    ok(cu.cuGraphLaunch(launched, stream))
    ok(cu.cuEventRecord(end, stream))
    ok(cu.cuEventSynchronize(end))
    ok(cu.cuEventElapsedTime(C.byref(milliseconds), begin, end))
    return 1e3 * milliseconds.value / LAUNCHES


print("pair,slow_us,mended_us,gain")
pairs = pathlib.Path(__file__).parents[2] / "simulator/tests/advice/pairs.txt"
for line in pairs.read_text().splitlines():
    if line.startswith("#"):
        continue
    name, slow, mended, n, *_ = (cell.strip() for cell in line.split("|"))
    both = [graph(cell, int(n)) for cell in (slow, mended)]
    times = [[time(launched) for launched in both] for _ in range(GRAPHS)][GRAPHS // 4 :]
    slow, mended = (statistics.median(column) for column in zip(*times))
    print(f'"{name}",{slow:.3f},{mended:.3f},{slow / mended:.3f}', flush=True)
