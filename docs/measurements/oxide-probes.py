"""Runs each probe of cuda-oxide's intrinsics, a function in LLVM's words, in a kernel of its own that a warp runs: how it ended, a line each.

    sim --card b200 python3 docs/measurements/oxide-probes.py CUDA-OXIDE/intrinsics/probes LLC [BEGINNING]

`LLC` is that of the Rust toolchain which cuda-oxide pins (`llvm-tools`). BEGINNING: only names that begin so. `wgmma` needs `--card h200`.
"""
import ctypes as C
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# A pointer by such a name is to shared memory; so is one that the probe itself casts there.
SHARED = re.compile("shared|barrier|dst|response")
MEMORY = "@memory = internal addrspace(3) global [4096 x i64] undef, align 128"
INIT = "void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3)"


def with_kernel(text, name):
    """The probe with a kernel that calls it: a mask has all lanes, other numbers are 1, and a barrier waits for 32."""
    result, function, named = re.search(r"^define (.+?) @(probe_\w+)\((.*?)\)", text, re.M).groups()
    values = []
    for kind, parameter in (part.rsplit(" ", 1) for part in named.split(", ") if part):
        if kind == "ptr":
            casts = re.search(rf"addrspacecast ptr {parameter} to ptr addrspace\(3\)", text)
            values.append("ptr %shared" if SHARED.search(parameter) or casts else "ptr %data")
        elif kind in ("float", "double", "i1"):
            values.append(f"{kind} {'true' if kind == 'i1' else '1.0'}")
        else:
            # From a parameter, or the compiler would compute the result itself.
            values.append(f"{kind} %{'all' if 'mask' in parameter else 'one'}{kind[1:]}")
    has_barrier = "barrier" in named and "init" not in name
    call = f"call {result} @{function}({', '.join(values)})"
    lines = [MEMORY, f"declare {INIT}, i32)" if has_barrier and f"declare {INIT}" not in text else ""]
    lines += ["define ptx_kernel void @run(ptr %data, ptr %out, i64 %all64, i64 %one64) {"]
    lines += ["%shared = addrspacecast ptr addrspace(3) @memory to ptr"]
    lines += [f"%{what}{bits} = trunc i64 %{what}64 to i{bits}" for what in ("all", "one") for bits in (8, 16, 32)]
    lines += [f"call {INIT} @memory, i32 32)"] if has_barrier else []
    lines += [call] if result == "void" else [f"%r = {call}", f"store {result} %r, ptr %out, align 16"]
    return text + "\n".join([*lines, "ret void", "}"])


def run(ptx, threads):
    """Loads and launches; the driver's words where one of these fails."""
    cu = C.CDLL("libcuda.so.1")

    def ok(result):
        if result != 0:
            words = C.c_char_p()
            cu.cuGetErrorString(result, C.byref(words))
            raise RuntimeError(words.value.decode().splitlines()[0])

    ok(cu.cuInit(0))
    context, module, kernel = C.c_void_p(), C.c_void_p(), C.c_void_p()
    ok(cu.cuDevicePrimaryCtxRetain(C.byref(context), 0))
    ok(cu.cuCtxSetCurrent(context))
    ok(cu.cuModuleLoadData(C.byref(module), ptx + b"\0"))
    ok(cu.cuModuleGetFunction(C.byref(kernel), module, b"run"))
    arguments = [C.c_uint64(), C.c_uint64(), C.c_uint64(2**64 - 1), C.c_uint64(1)]
    for pointer in arguments[:2]:
        ok(cu.cuMemAlloc_v2(C.byref(pointer), 65536))
        ok(cu.cuMemsetD8_v2(pointer, 0, 65536))
    addresses = (C.c_void_p * 4)(*(C.addressof(argument) for argument in arguments))
    ok(cu.cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, None, addresses, None))
    ok(cu.cuCtxSynchronize())
    return "ended"


folder, llc = pathlib.Path(sys.argv[1]), sys.argv[2]
for path in sorted(folder.glob(f"{''.join(sys.argv[3:])}*.ll")):
    of_group = "wgmma" in path.stem
    target = ["-mcpu=sm_90a", "-mattr=+ptx86"] if of_group else ["-mcpu=sm_100a", "-mattr=+ptx88"]
    with tempfile.NamedTemporaryFile("w", suffix=".ll") as source:
        source.write(with_kernel(path.read_text(), path.stem))
        source.flush()
        ptx = subprocess.run([llc, *target, source.name, "-o", "-"], check=True, stdout=subprocess.PIPE).stdout
    # A process each: a launch that fails ends its context.
    child = os.fork()
    if child == 0:
        try:
            said = run(ptx, 128 if of_group else 32)
        except RuntimeError as error:
            said = str(error)
        print(path.stem, said, sep=": ", flush=True)
        os._exit(0)
    os.waitpid(child, 0)
