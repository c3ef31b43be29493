#!/usr/bin/env python3
"""The museum's kernels on whatever libcuda.so.1 is there, for another checker to look at, such as compute-sanitizer on a GPU:

    who_sees_what.py list                    the exhibits
    who_sees_what.py launch CLASS/NAME       one launch, as its comments say. 3: the driver calls it failed; 4: no end within 20 s; 2: not launched
    who_sees_what.py ask ANSWERS             each under the four tools of compute-sanitizer; SANITIZER names it, JOBS says how many at a time
    who_sees_what.py table ANSWERS           what `ask` wrote, as Markdown

It needs the driver alone: no compiler, no toolkit, no Rust. `simulator/tests/exhibit/mod.rs` says what the comments are.
"""

import concurrent.futures, ctypes as C, os, pathlib, re, struct, subprocess, sys, threading, time, zlib

MUSEUM = pathlib.Path(__file__).resolve().parent
TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
SILENT, MISSING = "–", "?"
ABOUT_KERNEL = ("Invalid ", "Misaligned ", "Race reported ", "Potential ", "Barrier error", "Uninitialized ", "Error: ", "Warning: Race")
PACKING = {"int": "<i", "float": "<f", "double": "<d"}


def names():
    return sorted(str(path.relative_to(MUSEUM).with_suffix("")) for path in MUSEUM.glob("*/*.cu"))


def note(source, key):
    found = re.search(rf"^// {key}: (.*)$", source, re.M)
    return found[1] if found else None


def done(result):
    if result:
        name = C.c_char_p()
        cuda.cuGetErrorName(result, C.byref(name))
        raise RuntimeError((name.value or b"?").decode())


def load(text):
    """PTX for the card's own architecture, with its lines: lanes of code for old cards keep in step on new ones. An older driver gets an older version."""
    major, minor = C.c_int(), C.c_int()
    done(cuda.cuDeviceGetAttribute(C.byref(major), 75, 0))
    done(cuda.cuDeviceGetAttribute(C.byref(minor), 76, 0))
    text = re.sub(r"(?m)^\.target .*", f".target sm_{major.value}{minor.value}", text, count=1)
    module, line_info, on = C.c_void_p(), C.c_int(13), C.c_void_p(1)
    for older in [text, re.sub(r"(?m)^\.version .*", ".version 8.0", text, count=1)]:
        result = cuda.cuModuleLoadDataEx(C.byref(module), older.encode(), 1, C.byref(line_info), C.byref(on))
        if result != 222:
            break
    done(result)
    return module


def argument(text, before):
    """A parameter's bytes, after those of `before`; memory is allocated for it and filled."""
    if shape := re.fullmatch(r"(tiles|texture|surface)\[(\d+)\]\[(\d+)\] of (\d+)", text):
        kind, rows, columns, address = shape[1], int(shape[2]), int(shape[3]), C.c_void_p.from_buffer_copy(before[int(shape[4])])
        if kind == "surface":
            raise RuntimeError("a surface needs an array, whose memory is no argument's")
        if kind == "tiles":
            room = (C.c_char * 192)()
            at = (C.addressof(room) + 63) & ~63
            longs, ints = lambda *values: (C.c_uint64 * len(values))(*values), lambda *values: (C.c_uint32 * len(values))(*values)
            how = (C.c_int(4), C.c_uint32(2), address, longs(columns, rows), longs(4 * columns), ints(8, 8), ints(1, 1))
            done(cuda.cuTensorMapEncodeTiled(C.c_void_p(at), *how, 0, 0, 0, 0))
            return C.string_at(at, 128)
        # CUDA_RESOURCE_DESC of pitched rows of int, and CUDA_TEXTURE_DESC that clamps and reads integers as they are.
        resource = struct.pack("<iiQIIQQQ", 3, 0, address.value, 10, 1, columns, rows, 4 * columns).ljust(144, b"\0")
        made = C.c_uint64()
        done(cuda.cuTexObjectCreate(C.byref(made), resource, struct.pack("<iiiiI", 1, 1, 1, 0, 1).ljust(104, b"\0"), None))
        return struct.pack("<Q", made.value)
    declaration, _, value = (part.strip() for part in text.partition("="))
    kind, name = declaration.rsplit(" ", 1)
    if kind.endswith("*"):
        fixed = {"null": 0, "host": 0x7FFD_1234_5680}
        return struct.pack("<Q", fixed[value]) if value in fixed else before[int(value.removeprefix("of "))]
    packing = PACKING.get(kind, "<i")
    if "[" not in name:
        return struct.pack(packing, int(value) if packing == "<i" else float(value))
    count = int(name.split("[")[1].rstrip("]"))
    how, *more = value.split() or [""]
    bytes, address = count * struct.calcsize(packing), C.c_uint64()
    done(cuda.cuMemAlloc_v2(C.byref(address), C.c_size_t(bytes)))
    if how == "freed":
        done(cuda.cuMemFree_v2(address))
    elif how:
        numbers = range(int(more[0]) if more else count) if how == "iota" else [0] * count
        filled = b"".join(struct.pack(packing, number) for number in numbers)
        done(cuda.cuMemcpyHtoD_v2(address, filled, C.c_size_t(len(filled))))
    return struct.pack("<Q", address.value)


def watch():
    """Ends the process when its time is up, whatever the driver is waiting for."""
    time.sleep(20)
    print("no end within 20 s", file=sys.stderr, flush=True)
    os._exit(4)


def launch(name):
    global cuda
    source = (MUSEUM / f"{name}.cu").read_text()
    packed = (MUSEUM / f"{name}.ptx.z").read_bytes().split(b"\n", 2)
    text = zlib.decompressobj().decompress(packed[2]).decode()
    words = note(source, "launch").split()
    numbers = {"grid": [], "block": [], "shared": []}
    for word in words:
        if word.isdigit():
            numbers[key].append(int(word))
        else:
            key = word
    grid, block = ((numbers[key] + [1, 1])[:3] for key in ("grid", "block"))
    cuda, context, function = C.CDLL("libcuda.so.1"), C.c_void_p(), C.c_void_p()
    done(cuda.cuInit(0))
    done(cuda.cuDevicePrimaryCtxRetain(C.byref(context), 0))
    done(cuda.cuCtxSetCurrent(context))
    done(cuda.cuModuleGetFunction(C.byref(function), load(text), (note(source, "kernel") or re.search(r"\.entry (\w+)", text)[1]).encode()))
    values = []
    for declared in re.findall(r"^// arg: (.*)$", source, re.M):
        values.append(argument(declared, values))
    buffers = [C.create_string_buffer(value, len(value)) for value in values]
    parameters = (C.c_void_p * len(buffers))(*map(C.addressof, buffers))
    threading.Thread(target=watch, daemon=True).start()
    call, last = (cuda.cuLaunchCooperativeKernel, []) if "cooperative" in words else (cuda.cuLaunchKernel, [None])
    done(call(function, *grid, *block, sum(numbers["shared"]), None, parameters, *last))
    try:
        done(cuda.cuCtxSynchronize())
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 3
    return 0


def ask(answers):
    """Kernels without an end come last, because they take the GPU's time from the others."""
    late = lambda name: name.startswith(("deadlock/", "stops/"))
    questions = [(name, tool) for name in sorted(names(), key=late) for tool in TOOLS]

    def one(question):
        command = [os.environ.get("SANITIZER", "compute-sanitizer"), "--tool", question[1], "--print-limit", "3"]
        command += [sys.executable, __file__, "launch", question[0]]
        # A launch ends by itself after 20 s, unless the checker holds it.
        ended = subprocess.run(["timeout", "--kill-after", "5", "60", *command], stdout=-1, stderr=-2, stdin=-3)
        return f"### {question[0]} {question[1]} {ended.returncode}\n{ended.stdout.decode(errors='replace')}"

    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "8"))) as pool:
        texts = list(pool.map(one, questions))
    pathlib.Path(answers).write_text("".join(texts))
    print(f"{len(texts)} answers in {answers}")


def verdict(text):
    """The first fault that a tool names, in its words without numbers and places."""
    lines = [line[9:].strip() for line in text.splitlines() if line.startswith("=========")]
    said = [line for line in lines if line.startswith(ABOUT_KERNEL)] or [line for line in lines if line.startswith("Program hit ")]
    if said:
        return re.split(r"\(|\.| of size| at ", said[0])[0].strip().lower()
    return SILENT if "SUMMARY" in text else "no end" if "no end within" in text else MISSING


def table(answers):
    """One row an exhibit, one column a checker. Ours are the faults that `cargo test -p simulator --test museum` proves to be found."""
    parts = [part.partition("\n") for part in pathlib.Path(answers).read_text().split("### ")[1:]]
    cells = {tuple(head.split(" ")[:2]): verdict(text) for head, _, text in parts}
    faults = {name: note((MUSEUM / f"{name}.cu").read_text(), "finds") or "" for name in names()}
    print("| exhibit | ours |", *(f"{tool} |" for tool in TOOLS))
    print("|---|---|---|---|---|---|")
    for name, fault in faults.items():
        print(f"| {name} | {fault or SILENT} |", *(f"{cells.get((name, tool), MISSING)} |" for tool in TOOLS))
    for faulty, words in [(True, "faulty kernels in which it sees something"), (False, "correct kernels that it accuses")]:
        some = [name for name, fault in faults.items() if bool(fault) == faulty]
        seen = [sum(cells.get((name, tool), MISSING) not in (SILENT, MISSING) for name in some) for tool in TOOLS]
        print(f"| **{words}** | **{len(some) if faulty else 0} of {len(some)}** |", *(f"**{count}** |" for count in seen))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["list"]:
            print(*names(), sep="\n")
        case ["launch", name]:
            try:
                sys.exit(launch(name))
            except (RuntimeError, OSError) as why:
                sys.exit(print(f"{name}: {why}", file=sys.stderr) or 2)
        case ["ask", answers]:
            ask(answers)
        case ["table", answers]:
            table(answers)
        case _:
            sys.exit(print(__doc__, file=sys.stderr) or 2)
