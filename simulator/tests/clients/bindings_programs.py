"""`cuda.bindings.runtime`, NVIDIA's Python interface of the runtime library, beside its driver half: the module's own library is
linked into it and does not start here, so that under `sim` its functions are those of this project's (`simulator/fronts/audit/`)."""

import ctypes
import os
import tempfile

import cuda.bindings
import numpy as np
from cuda.bindings import driver, nvrtc, runtime
from programs import equal, run

TO_DEVICE, TO_HOST = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
WITHIN = runtime.cudaMemcpyKind.cudaMemcpyDeviceToDevice
random = np.random.default_rng(5)

SOURCE = rb"""
extern "C" {
__device__ int factor = 3;
__global__ void axpy(float a, const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }
__global__ void add(int *x, int v) { x[threadIdx.x] += v * factor; }
__global__ void fetch(cudaTextureObject_t image, float *out, int width) { out[threadIdx.y * width + threadIdx.x] = tex2D<float>(image, threadIdx.x + 0.5f, threadIdx.y + 0.5f); }
__global__ void wait(int *x, long long until) { long long begin = clock64(); while (clock64() - begin < until); x[0] += 1; }
}
"""


def ask(answer):
    """What a call answers behind its result, which must be success."""
    code, *rest = answer
    assert int(code) == 0, code
    return rest[0] if len(rest) == 1 else rest or None


def compiled():
    program = ask(nvrtc.nvrtcCreateProgram(SOURCE, b"programs.cu", 0, [], []))
    options = [b"--gpu-architecture=compute_75"]
    ask(nvrtc.nvrtcCompileProgram(program, len(options), options))
    text = b" " * ask(nvrtc.nvrtcGetPTXSize(program))
    ask(nvrtc.nvrtcGetPTX(program, text))
    return text


ask(runtime.cudaSetDevice(0))
library = ask(runtime.cudaLibraryLoadData(compiled(), [], [], 0, [], [], 0))


def launch(name, grid, block, stream, values, types):
    kernel = ask(runtime.cudaLibraryGetKernel(library, name))
    block = (*block, 1, 1)[:3]
    ask(driver.cuLaunchKernel(driver.CUfunction(int(kernel)), grid, 1, 1, *block, 0, driver.CUstream(int(stream)), (values, types), 0))


def on_device(values):
    at = ask(runtime.cudaMalloc(values.nbytes))
    ask(runtime.cudaMemcpy(at, values.ctypes.data, values.nbytes, TO_DEVICE))
    return at


def on_host(at, like):
    out = np.empty_like(like)
    ask(runtime.cudaMemcpy(out.ctypes.data, at, out.nbytes, TO_HOST))
    return out


def check_versions():
    assert ask(runtime.cudaRuntimeGetVersion()) // 1000 in (12, 13)
    assert ask(runtime.cudaDriverGetVersion()) >= ask(runtime.cudaRuntimeGetVersion()) // 1000 * 1000


def check_properties():
    p = ask(runtime.cudaGetDeviceProperties(0))
    assert p.name and p.warpSize == 32 and p.maxThreadsPerBlock == 1024 and p.totalGlobalMem > 2**30
    attribute = runtime.cudaDeviceAttr.cudaDevAttrMultiProcessorCount
    assert ask(runtime.cudaDeviceGetAttribute(attribute, 0)) == p.multiProcessorCount
    assert ask(runtime.cudaGetDeviceCount()) == 1 and ask(runtime.cudaGetDevice()) == 0


def check_place_on_the_bus():
    name = ask(runtime.cudaDeviceGetPCIBusId(20, 0))
    assert ask(runtime.cudaDeviceGetByPCIBusId(name)) == 0


def check_copies():
    x = random.standard_normal(1000)
    a, b = on_device(x), ask(runtime.cudaMalloc(x.nbytes))
    ask(runtime.cudaMemcpy(b, a, x.nbytes, WITHIN))
    equal(on_host(b, x), x, 0)
    ask(runtime.cudaMemset(b, 0xFF, x.nbytes // 2))
    assert np.isnan(on_host(b, x)[:500]).all()
    equal(on_host(b, x)[500:], x[500:], 0)
    ask(runtime.cudaFree(a))
    ask(runtime.cudaFree(b))


def check_memory_in_use():
    before, total = ask(runtime.cudaMemGetInfo())
    at = ask(runtime.cudaMalloc(64 << 20))
    assert ask(runtime.cudaMemGetInfo())[0] <= before - (64 << 20) and before <= total
    ask(runtime.cudaFree(at))


def check_rows():
    x = random.standard_normal((13, 50)).astype(np.float32)
    at, pitch = ask(runtime.cudaMallocPitch(200, 13))
    ask(runtime.cudaMemcpy2D(at, pitch, x.ctypes.data, 200, 200, 13, TO_DEVICE))
    out = np.zeros((13, 25), np.float32)
    ask(runtime.cudaMemcpy2D(out.ctypes.data, 100, at + 100, pitch, 100, 13, TO_HOST))
    equal(out, x[:, 25:], 0)


def check_launch():
    x, y = random.standard_normal((2, 1000)).astype(np.float32)
    a, b = on_device(x), on_device(y)
    launch(b"axpy", 8, (128,), 0, (2.5, a, b, 1000), (ctypes.c_float, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int))
    ask(runtime.cudaDeviceSynchronize())
    equal(on_host(b, y), y + np.float32(2.5) * x)


def check_variable_of_a_library():
    at, size = ask(runtime.cudaLibraryGetGlobal(library, b"factor"))
    assert size == 4 and on_host(at, np.zeros(1, np.int32))[0] == 3


def check_pinned_memory_and_streams():
    stream = ask(runtime.cudaStreamCreateWithFlags(runtime.cudaStreamNonBlocking))
    host = ask(runtime.cudaMallocHost(4096))
    view = np.ctypeslib.as_array((ctypes.c_int * 1024).from_address(host))
    view[:] = np.arange(1024)
    at = ask(runtime.cudaMallocAsync(4096, stream))
    ask(runtime.cudaMemcpyAsync(at, host, 4096, TO_DEVICE, stream))
    launch(b"add", 1, (1024,), stream, (at, 7), (ctypes.c_void_p, ctypes.c_int))
    ask(runtime.cudaMemcpyAsync(host, at, 4096, TO_HOST, stream))
    ask(runtime.cudaFreeAsync(at, stream))
    ask(runtime.cudaStreamSynchronize(stream))
    equal(view, np.arange(1024) + 21)
    assert int(runtime.cudaStreamQuery(stream)[0]) == 0
    ask(runtime.cudaStreamDestroy(stream))
    ask(runtime.cudaFreeHost(host))


def check_events():
    stream, at = ask(runtime.cudaStreamCreate()), on_device(np.zeros(1, np.int32))
    begin, end = ask(runtime.cudaEventCreate()), ask(runtime.cudaEventCreate())

    def timed(cycles):
        ask(runtime.cudaEventRecord(begin, stream))
        launch(b"wait", 1, (1,), stream, (at, cycles), (ctypes.c_void_p, ctypes.c_longlong))
        ask(runtime.cudaEventRecord(end, stream))
        ask(runtime.cudaEventSynchronize(end))
        return ask(runtime.cudaEventElapsedTime(begin, end))

    once, twice = timed(100_000), timed(200_000)
    assert 1.9 * once < twice < 2.1 * once, (once, twice)


def check_order_of_streams():
    a, b = (ask(runtime.cudaStreamCreateWithFlags(runtime.cudaStreamNonBlocking)) for _ in range(2))
    at, event = on_device(np.zeros(32, np.int32)), ask(runtime.cudaEventCreateWithFlags(runtime.cudaEventDisableTiming))
    launch(b"add", 1, (32,), a, (at, 1), (ctypes.c_void_p, ctypes.c_int))
    ask(runtime.cudaEventRecord(event, a))
    ask(runtime.cudaStreamWaitEvent(b, event, 0))
    ask(runtime.cudaMemsetAsync(at, 0, 64, b))
    ask(runtime.cudaStreamSynchronize(b))
    equal(on_host(at, np.zeros(32, np.int32)), [0] * 16 + [3] * 16)


def check_captured_graph():
    stream, at = ask(runtime.cudaStreamCreate()), on_device(np.arange(32, dtype=np.int32))
    ask(runtime.cudaStreamBeginCapture(stream, runtime.cudaStreamCaptureMode.cudaStreamCaptureModeGlobal))
    for _ in range(3):
        launch(b"add", 1, (32,), stream, (at, 1), (ctypes.c_void_p, ctypes.c_int))
    graph = ask(runtime.cudaStreamEndCapture(stream))
    assert ask(runtime.cudaGraphGetNodes(graph))[1] == 3
    executable = ask(runtime.cudaGraphInstantiate(graph, 0))
    for _ in range(2):
        ask(runtime.cudaGraphLaunch(executable, stream))
    ask(runtime.cudaStreamSynchronize(stream))
    equal(on_host(at, np.zeros(32, np.int32)), np.arange(32) + 18)
    ask(runtime.cudaGraphExecDestroy(executable))
    ask(runtime.cudaGraphDestroy(graph))


def check_graph_of_nodes():
    x, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    at, graph = ask(runtime.cudaMalloc(256)), ask(runtime.cudaGraphCreate(0))
    first = ask(runtime.cudaGraphAddMemcpyNode1D(graph, [], 0, at, x.ctypes.data, 256, TO_DEVICE))
    fill = runtime.cudaMemsetParams()
    fill.dst, fill.elementSize, fill.width, fill.height, fill.value = at, 4, 8, 1, 5
    second = ask(runtime.cudaGraphAddMemsetNode(graph, [first], 1, fill))
    third = ask(runtime.cudaGraphAddMemcpyNode1D(graph, [second], 1, out.ctypes.data, at, 256, TO_HOST))
    assert ask(runtime.cudaGraphNodeGetType(third)) == runtime.cudaGraphNodeType.cudaGraphNodeTypeMemcpy
    ask(runtime.cudaGraphLaunch(ask(runtime.cudaGraphInstantiate(graph, 0)), 0))
    ask(runtime.cudaDeviceSynchronize())
    equal(out, [5] * 8 + list(range(8, 64)))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "graph.dot")
        ask(runtime.cudaGraphDebugDotPrint(graph, path.encode(), 0))
        assert "digraph" in open(path).read()


def check_function_of_the_host():
    called, stream = [], ask(runtime.cudaStreamCreate())
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda data: called.append(data))
    ask(runtime.cudaLaunchHostFunc(stream, runtime.cudaHostFn_t(_ptr=ctypes.addressof(function)), 17))
    ask(runtime.cudaStreamSynchronize(stream))
    assert called == [17]


def check_managed_memory():
    at = ask(runtime.cudaMallocManaged(128, runtime.cudaMemAttachGlobal))
    view = np.ctypeslib.as_array((ctypes.c_int * 32).from_address(at))
    view[:] = 1
    launch(b"add", 1, (32,), 0, (at, 2), (ctypes.c_void_p, ctypes.c_int))
    ask(runtime.cudaDeviceSynchronize())
    equal(view, [7] * 32)
    kind = ask(runtime.cudaPointerGetAttributes(at)).type
    assert kind == runtime.cudaMemoryType.cudaMemoryTypeManaged


def check_texture():
    image = random.standard_normal((6, 8)).astype(np.float32)
    channels = ask(runtime.cudaCreateChannelDesc(32, 0, 0, 0, runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat))
    array = ask(runtime.cudaMallocArray(channels, 8, 6, 0))
    ask(runtime.cudaMemcpy2DToArray(array, 0, 0, image.ctypes.data, 32, 32, 6, TO_DEVICE))
    resource, texture = runtime.cudaResourceDesc(), runtime.cudaTextureDesc()
    resource.resType = runtime.cudaResourceType.cudaResourceTypeArray
    resource.res.array.array = array
    texture.readMode = runtime.cudaTextureReadMode.cudaReadModeElementType
    made = ask(runtime.cudaCreateTextureObject(resource, texture, None))
    out = on_device(np.zeros_like(image))
    launch(b"fetch", 1, (8, 6), 0, (int(made), out, 8), (ctypes.c_ulonglong, ctypes.c_void_p, ctypes.c_int))
    equal(on_host(out, image), image, 0)
    ask(runtime.cudaDestroyTextureObject(made))
    ask(runtime.cudaFreeArray(array))


def check_pool():
    pool = ask(runtime.cudaDeviceGetDefaultMemPool(0))
    kept = runtime.cudaMemPoolAttr.cudaMemPoolAttrReleaseThreshold
    ask(runtime.cudaMemPoolSetAttribute(pool, kept, driver.cuuint64_t(1 << 20)))
    assert int(ask(runtime.cudaMemPoolGetAttribute(pool, kept))) == 1 << 20
    at = ask(runtime.cudaMallocFromPoolAsync(1000, pool, 0))
    ask(runtime.cudaFreeAsync(at, 0))


def check_errors():
    code, at = runtime.cudaMalloc(1 << 50)
    assert code == runtime.cudaError_t.cudaErrorMemoryAllocation and ask(runtime.cudaGetErrorString(code)) == b"out of memory"
    assert runtime.cudaPeekAtLastError()[0] == code and runtime.cudaGetLastError()[0] == code
    assert int(runtime.cudaGetLastError()[0]) == 0


def check_driver_beside_it():
    context = ask(driver.cuCtxGetCurrent())
    assert int(context) == int(ask(driver.cuDevicePrimaryCtxRetain(0)))
    at = ask(driver.cuMemAlloc(64))
    assert ask(runtime.cudaPointerGetAttributes(int(at))).device == 0
    ask(runtime.cudaFree(int(at)))


streams = " with streams of threads" if os.environ.get("CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM") == "1" else ""
run(f"cuda.bindings.runtime {cuda.bindings.__version__}{streams}", globals())
