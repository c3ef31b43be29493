"""Copies between host and card by size, direction and kind of memory: medians in µs. `python3 docs/measurements/h200-copies.py > copies.csv`; needs a CUDA driver alone, a minute and 2 GiB.
`call` is from the call until the card is idle, by the host's clock; `events` is between two events around the copy. `touched` memory is pageable and was never written or read before."""
import ctypes as C, mmap, statistics, time

from opened import cu, made, ok

LARGEST = 512 << 20
one, two = (made(cu.cuMemAlloc_v2, C.c_size_t(LARGEST)) for _ in range(2))
pinned, other = (made(cu.cuMemHostAlloc, C.c_size_t(LARGEST), 0) for _ in range(2))
first, second = (made(cu.cuStreamCreate, 1) for _ in range(2))
begin, end = (made(cu.cuEventCreate, 0) for _ in range(2))
for memory in (pinned, other):
    C.memset(memory, 1, LARGEST)


def pages(size):
    """Fresh pages, and their address; no page of them is there before it is touched."""
    area = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return area, C.c_void_p(C.addressof(C.c_char.from_buffer(area)))


def into(host, size, stream=None):
    return lambda: ok(cu.cuMemcpyHtoDAsync_v2(one, host, C.c_size_t(size), stream))


def out_to(host, size, stream=None):
    return lambda: ok(cu.cuMemcpyDtoHAsync_v2(host, two, C.c_size_t(size), stream))


def called(*copies):
    ok(cu.cuCtxSynchronize())
    start = time.perf_counter()
    for copy in copies:
        copy()
    ok(cu.cuCtxSynchronize())
    return 1e6 * (time.perf_counter() - start)


def between_events(copy):
    milliseconds = C.c_float()
    ok(cu.cuEventRecord(begin, first))
    copy()
    ok(cu.cuEventRecord(end, first))
    ok(cu.cuEventSynchronize(end))
    ok(cu.cuEventElapsedTime(C.byref(milliseconds), begin, end))
    return 1e3 * milliseconds.value


def touched(copy, size):
    area, host = pages(size)
    return called(copy(host, size))


def medians(size, times):
    _, pageable = pages(size)
    C.memset(pageable, 1, size)
    rows = {
        "pinned in, call": lambda: called(into(pinned, size)),
        "pinned out, call": lambda: called(out_to(pinned, size)),
        "pinned both ways, call": lambda: called(into(pinned, size, first), out_to(other, size, second)),
        "pinned in, events": lambda: between_events(into(pinned, size, first)),
        "pinned out, events": lambda: between_events(out_to(pinned, size, first)),
        "pageable in, call": lambda: called(into(pageable, size)),
        "pageable out, call": lambda: called(out_to(pageable, size)),
        "touched in, call": lambda: touched(into, size),
        "touched out, call": lambda: touched(out_to, size),
    }
    for name, row in rows.items():
        few = max(3, times // 4) if name.startswith("touched") else times
        row()
        yield name, statistics.median(row() for _ in range(few))


print("bytes,copy,median_us")
for power in range(12, 30):
    for name, median in medians(1 << power, max(5, min(60, (1 << 31) // (1 << power)))):
        print(f'{1 << power},"{name}",{median:.2f}', flush=True)
