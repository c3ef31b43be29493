"""The CUDA driver with a context on the first card, for the programs beside this: `cu`, and calls that must succeed."""
import ctypes as C

cu = C.CDLL("libcuda.so.1")


def ok(result):
    assert result == 0, result


def made(create, *arguments):
    """What a call puts into its first argument."""
    handle = C.c_void_p()
    ok(create(C.byref(handle), *arguments))
    return handle


ok(cu.cuInit(0))
device = C.c_int()
ok(cu.cuDeviceGet(C.byref(device), 0))
ok(cu.cuCtxSetCurrent(made(cu.cuDevicePrimaryCtxRetain, device)))
