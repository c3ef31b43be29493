"""cuda.core, NVIDIA's Python interface over the driver: programs, memory, streams, events, graphs, against NumPy."""

import ctypes

import numpy as np
from cuda.core import (
    Device, EventOptions, LaunchConfig, LegacyPinnedMemoryResource, Linker, LinkerOptions, ObjectCode, Program, ProgramOptions,
    StreamOptions, launch,
)
from programs import equal, run

device = Device(0)
device.set_current()
stream = device.create_stream()
random = np.random.default_rng(3)

SOURCE = r"""
extern "C" {
__global__ void axpy(float a, const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }
__global__ void fill(int *x, int v) { x[blockIdx.x * blockDim.x + threadIdx.x] = v; }
__global__ void reverse(int *x) { extern __shared__ int t[]; t[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = t[blockDim.x - 1 - threadIdx.x]; }
__global__ void types(char a, short b, long long c, double d, bool e, double *out) { out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; }
}
template <class T> __global__ void twice(T *x) { x[threadIdx.x] *= 2; }
"""
INSTANCES = ("twice<int>", "twice<double>")


def compiled():
    options = ProgramOptions(std="c++17", arch="compute_75")
    return Program(SOURCE, code_type="c++", options=options).compile("ptx", name_expressions=INSTANCES)


module = compiled()


def pinned(values):
    """Page-locked memory that holds these values: the buffer, and a view of it."""
    buffer = LegacyPinnedMemoryResource().allocate(values.nbytes)
    view = np.ctypeslib.as_array(ctypes.cast(int(buffer.handle), ctypes.POINTER(ctypes.c_byte)), (values.nbytes,)).view(values.dtype)
    view[:] = values
    return buffer, view


def check_device():
    assert device.name and device.compute_capability.major >= 5 and device.properties.multiprocessor_count > 0
    assert Device(0) is device or Device(0).device_id == 0


def check_calls_of_the_runtime():
    host, view = pinned(np.zeros(64, np.int32))
    launch(stream, LaunchConfig(grid=1, block=64), module.get_kernel("fill"), host, np.int32(9))
    device.sync()
    equal(view, np.full(64, 9))
    assert device.pci_bus_id.endswith(".0") and device.name


def check_uuid():
    assert len(device.uuid) == 36


def check_properties():
    p = device.properties
    assert p.max_threads_per_block == 1024 and p.warp_size == 32 and p.max_grid_dim_x == 2**31 - 1


def check_axpy():
    x, y = random.standard_normal(1000).astype(np.float32), random.standard_normal(1000).astype(np.float32)
    (a, _), (b, out) = pinned(x), pinned(y)
    launch(stream, LaunchConfig(grid=8, block=128), module.get_kernel("axpy"), np.float32(2.5), a, b, np.int32(1000))
    stream.sync()
    equal(out, y + np.float32(2.5) * x)


def check_device_memory():
    host, view = pinned(np.arange(256, dtype=np.int32))
    buffer = device.allocate(1024, stream=stream)
    buffer.copy_from(host, stream=stream)
    launch(stream, LaunchConfig(grid=1, block=256, shmem_size=1024), module.get_kernel("reverse"), buffer)
    buffer.copy_to(host, stream=stream)
    stream.sync()
    equal(view, np.arange(255, -1, -1))
    buffer.close(stream)


def check_fill_of_a_buffer():
    host, view = pinned(np.zeros(64, np.uint8))
    buffer = device.allocate(64, stream=stream)
    buffer.fill(7, stream=stream)
    buffer.copy_to(host, stream=stream)
    stream.sync()
    equal(view, np.full(64, 7))


def check_scalars():
    host, view = pinned(np.zeros(5))
    launch(stream, LaunchConfig(grid=1, block=1), module.get_kernel("types"), np.int8(-3), np.int16(300), np.int64(1 << 40), np.float64(0.5), np.bool_(True), host)
    stream.sync()
    equal(view, [-3, 300, float(1 << 40), 0.5, 1])


def check_template():
    for name, kind in zip(INSTANCES, (np.int32, np.float64)):
        host, view = pinned(np.arange(32).astype(kind))
        launch(stream, LaunchConfig(grid=1, block=32), module.get_kernel(name), host)
        stream.sync()
        equal(view, np.arange(32) * 2)


def check_streams_and_events():
    a, b = device.create_stream(), device.create_stream(options=StreamOptions(nonblocking=True, priority=0))
    host, view = pinned(np.zeros(32, np.int32))
    launch(a, LaunchConfig(grid=1, block=32), module.get_kernel("fill"), host, np.int32(5))
    b.wait(a.record())
    launch(b, LaunchConfig(grid=1, block=16), module.get_kernel("fill"), host, np.int32(6))
    b.sync()
    equal(view, [6] * 16 + [5] * 16)
    assert a != b and b.is_nonblocking


def check_elapsed_time():
    options = EventOptions(timing_enabled=True)
    begin = stream.record(options=options)
    host, _ = pinned(np.zeros(1024, np.int32))
    launch(stream, LaunchConfig(grid=4, block=256), module.get_kernel("fill"), host, np.int32(1))
    end = stream.record(options=options)
    end.sync()
    assert end - begin > 0 and end.is_done


def check_kernel_attributes():
    a = module.get_kernel("axpy").attributes
    assert a.num_regs > 0 and a.max_threads_per_block == 1024 and a.shared_size_bytes == 0


def check_kernel_arguments():
    kernel = module.get_kernel("axpy")
    assert kernel.num_arguments == 4
    assert [i.offset for i in kernel.arguments_info] == [0, 8, 16, 24]


def check_occupancy():
    occupancy = module.get_kernel("axpy").occupancy
    assert occupancy.max_active_blocks_per_multiprocessor(256, dynamic_shared_memory_size=0) > 0


def check_object_code():
    code = ObjectCode.from_ptx(module.code, symbol_mapping=module.symbol_mapping)
    assert code.get_kernel("fill") is not None and code.code_type == "ptx"


def check_linking():
    one = Program('extern "C" __device__ int other(int); extern "C" __global__ void use(int *x) { x[threadIdx.x] = other(threadIdx.x); }', "c++", ProgramOptions(arch="compute_75", relocatable_device_code=True)).compile("ptx")
    two = Program('extern "C" __device__ int other(int x) { return x * x; }', "c++", ProgramOptions(arch="compute_75", relocatable_device_code=True)).compile("ptx")
    code = Linker(one, two, options=LinkerOptions(arch="sm_75")).link("cubin")
    host, view = pinned(np.zeros(32, np.int32))
    launch(stream, LaunchConfig(grid=1, block=32), code.get_kernel("use"), host)
    stream.sync()
    equal(view, np.arange(32) ** 2)


def linked(kind, **options):
    """Two programs compiled to `kind` for real cards, linked, and what their kernel writes."""
    options = dict(arch="sm_80", relocatable_device_code=True, **options)
    one = Program('extern "C" __device__ int other(int); extern "C" __global__ void use(int *x) { x[threadIdx.x] = other(threadIdx.x); }', "c++", ProgramOptions(**options)).compile(kind)
    two = Program('extern "C" __device__ int other(int x) { return x * x; }', "c++", ProgramOptions(**options)).compile(kind)
    del options["relocatable_device_code"]
    code = Linker(one, two, options=LinkerOptions(**options)).link("cubin")
    host, view = pinned(np.zeros(32, np.int32))
    launch(stream, LaunchConfig(grid=1, block=32), code.get_kernel("use"), host)
    stream.sync()
    return view.copy()


def check_machine_code():
    code = Program(SOURCE, "c++", ProgramOptions(std="c++17", arch="sm_80", ptxas_options="-v")).compile("cubin", name_expressions=INSTANCES)
    host, view = pinned(np.arange(32, dtype=np.int32))
    launch(stream, LaunchConfig(grid=1, block=32), code.get_kernel("twice<int>"), host)
    stream.sync()
    equal(view, np.arange(32) * 2)
    launch(stream, LaunchConfig(grid=1, block=32), ObjectCode.from_cubin(code.code).get_kernel("fill"), host, np.int32(3))
    stream.sync()
    equal(view, [3] * 32)


def check_linking_of_machine_code():
    equal(linked("cubin"), np.arange(32) ** 2)


def check_linking_of_intermediate_code():
    equal(linked("ltoir", link_time_optimization=True), np.arange(32) ** 2)


def check_failed_link():
    one = Program('extern "C" __device__ int other(int); extern "C" __global__ void use(int *x) { *x = other(1); }', "c++", ProgramOptions(arch="sm_80", relocatable_device_code=True)).compile("cubin")
    try:
        Linker(one, options=LinkerOptions(arch="sm_80")).link("cubin")
    except Exception as error:
        assert "other" in str(error), error
    else:
        raise AssertionError("it was linked without a definition")


def check_wrong_source():
    try:
        Program("this is no C++", "c++", ProgramOptions(arch="compute_75")).compile("ptx")
    except Exception as error:
        assert "error" in str(error)
    else:
        raise AssertionError("it compiled")


def check_wrong_launch():
    try:
        launch(stream, LaunchConfig(grid=1, block=2048), module.get_kernel("fill"), 0, np.int32(1))
        stream.sync()
    except Exception:
        pass
    else:
        raise AssertionError("a block of 2048 threads was launched")


def check_foreign_stream():
    class Foreign:
        def __cuda_stream__(self):
            return 0, int(stream.handle)

    own = device.create_stream(Foreign())
    own.sync()
    assert int(own.handle) == int(stream.handle)


def check_dlpack():
    host, view = pinned(np.arange(40, dtype=np.int8))
    equal(np.from_dlpack(host), view)


def check_graph():
    host, view = pinned(np.zeros(32, np.int32))
    builder = stream.create_graph_builder()
    builder.begin_building()
    launch(builder, LaunchConfig(grid=1, block=32), module.get_kernel("fill"), host, np.int32(9))
    launch(builder, LaunchConfig(grid=1, block=16), module.get_kernel("fill"), host, np.int32(3))
    graph = builder.end_building().complete()
    for _ in range(3):
        view[:] = 0
        graph.launch(stream)
        stream.sync()
        equal(view, [3] * 16 + [9] * 16)


def check_peers_and_resources():
    resource = device.memory_resource
    assert resource.is_device_accessible and not resource.is_host_accessible
    buffer = resource.allocate(4096, stream=stream)
    assert buffer.size == 4096 and int(buffer.handle) % 256 == 0
    buffer.close(stream)


def check_default_stream():
    host, view = pinned(np.zeros(32, np.int32))
    launch(device.default_stream, LaunchConfig(grid=1, block=32), module.get_kernel("fill"), host, np.int32(4))
    device.default_stream.sync()
    equal(view, [4] * 32)


run("cuda.core 1.2.2", globals())
