"""What a user has who installs the wheel of `sim` and no checkout: the driver, NVML, and the fronts of compilers, in a clean environment."""

import os
import subprocess

import numpy as np
import pynvml
from cuda.bindings import driver, nvrtc, runtime
from programs import equal, run

SOURCE = b'extern "C" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }'


def done(result):
    assert result[0] == 0, result
    return result[1] if len(result) == 2 else result[1:]


def compiled(architecture):
    program = done(nvrtc.nvrtcCreateProgram(SOURCE, b"twice.cu", 0, [], []))
    done(nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=" + architecture]))
    return program


def launched(image):
    done(driver.cuInit(0))
    context = done(driver.cuDevicePrimaryCtxRetain(0))
    done(driver.cuCtxSetCurrent(context))
    kernel = done(driver.cuModuleGetFunction(done(driver.cuModuleLoadData(image)), b"twice"))
    x = np.arange(32, dtype=np.float32)
    on_device = done(driver.cuMemAlloc(x.nbytes))
    done(driver.cuMemcpyHtoD(on_device, x, x.nbytes))
    argument = np.array([int(on_device)], dtype=np.uint64)
    pointers = np.array([argument.ctypes.data], dtype=np.uint64)
    done(driver.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, 0, pointers.ctypes.data, 0))
    out = np.zeros_like(x)
    done(driver.cuMemcpyDtoH(out, on_device, out.nbytes))
    equal(out, 2 * x)


def check_ptx():
    program = compiled(b"compute_75")
    image = b" " * done(nvrtc.nvrtcGetPTXSize(program))
    done(nvrtc.nvrtcGetPTX(program, image))
    launched(image)


def check_machine_code_is_ptx_by_the_front():
    program = compiled(b"sm_75")
    image = b" " * done(nvrtc.nvrtcGetCUBINSize(program))
    done(nvrtc.nvrtcGetCUBIN(program, image))
    assert b".target sm_75" in image, image[:80]
    launched(image)


def check_nvml():
    pynvml.nvmlInit()
    handle = pynvml.nvmlDeviceGetHandleByIndex(0)
    done(driver.cuInit(0))
    name = done(driver.cuDeviceGetName(128, done(driver.cuDeviceGet(0))))
    assert pynvml.nvmlDeviceGetName(handle) == name.split(b"\0")[0].decode()
    assert pynvml.nvmlDeviceGetMemoryInfo(handle).total == done(driver.cuDeviceTotalMem(done(driver.cuDeviceGet(0))))


def check_runtime_by_its_front():
    at = done(runtime.cudaMalloc(64))
    assert done(runtime.cudaPointerGetAttributes(at)).device == 0
    assert runtime.cudaFree(at)[0] == 0


def check_programs():
    cards = subprocess.run(["nvidia-smi", "-L"], check=True, capture_output=True, text=True).stdout
    assert cards.startswith("GPU 0: NVIDIA "), cards
    version = subprocess.run([os.environ["TRITON_PTXAS_PATH"], "--version"], check=True, capture_output=True, text=True).stdout
    assert "release 12.9" in version, version


run("the wheel", globals())
