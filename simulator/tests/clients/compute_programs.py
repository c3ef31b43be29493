"""`cuda.compute` of cuda-cccl, whose native library has NVIDIA's runtime library linked in and no symbols: CUB's algorithms, compiled when they are
called, against NumPy; and RMM's memory, of the same make.

`radix_sort` and `segmented_sort` are left out: their kernels have more static shared memory than is allowed, and cuda-cccl goes down when that is refused.
"""

import importlib.metadata

import cuda.compute as compute
import numpy as np
import rmm
from cuda.bindings import runtime
from cuda.compute import CountingIterator, OpKind, TransformIterator
from programs import equal, run

random = np.random.default_rng(5)
TO_DEVICE = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice
TO_HOST = runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost


class Device:
    """An array on the device, as `__cuda_array_interface__` tells of it."""

    def __init__(self, host):
        host = np.ascontiguousarray(host)
        self.host, (code, self.pointer) = host, runtime.cudaMalloc(max(host.nbytes, 1))
        assert code == 0, code
        assert runtime.cudaMemcpy(self.pointer, host.ctypes.data, host.nbytes, TO_DEVICE)[0] == 0
        interface = {"shape": host.shape, "typestr": host.dtype.str, "data": (self.pointer, False), "version": 3, "strides": None}
        self.__cuda_array_interface__ = interface

    def get(self):
        to = np.empty_like(self.host)
        assert runtime.cudaMemcpy(to.ctypes.data, self.pointer, to.nbytes, TO_HOST)[0] == 0
        return to

    def __del__(self):
        runtime.cudaFree(self.pointer)


def zeros(count, kind):
    return Device(np.zeros(count, kind))


def data(count=1000):
    return random.integers(0, 1000, count).astype(np.int32)


def reduced(values, op, first):
    to = zeros(1, values.dtype)
    compute.reduce_into(d_in=Device(values), d_out=to, num_items=len(values), op=op, h_init=np.array([first], values.dtype))
    return to.get()[0]


def check_sum():
    for count in (1, 31, 1000, 100_003):
        a = data(count)
        assert reduced(a, OpKind.PLUS, 7) == a.sum() + 7


def check_largest_and_least():
    a = data()
    assert reduced(a, OpKind.MAXIMUM, -1) == a.max()
    assert reduced(a, OpKind.MINIMUM, 5000) == a.min()


def check_sum_of_floats():
    a = random.standard_normal(5000).astype(np.float32)
    equal(reduced(a, OpKind.PLUS, 0), a.sum(dtype=np.float64), 1e-3)


def check_operator_of_python():
    def far(a, b):
        return a if abs(a) > abs(b) else b

    a = random.integers(-1000, 1000, 999).astype(np.int32)
    assert abs(reduced(a, far, 0)) == np.abs(a).max()


def check_iterators():
    to = zeros(1, np.int64)
    numbers = TransformIterator(CountingIterator(np.int64(1)), lambda x: x * x)
    compute.reduce_into(d_in=numbers, d_out=to, num_items=100, op=OpKind.PLUS, h_init=np.array([0], np.int64))
    assert to.get()[0] == sum(i * i for i in range(1, 101))


def check_inclusive_scan():
    a = data(10_007)
    to = zeros(len(a), np.int32)
    compute.inclusive_scan(d_in=Device(a), d_out=to, op=OpKind.PLUS, init_value=None, num_items=len(a))
    equal(to.get(), np.cumsum(a))


def check_exclusive_scan():
    a = data()
    to = zeros(len(a), np.int32)
    compute.exclusive_scan(d_in=Device(a), d_out=to, op=OpKind.MAXIMUM, init_value=np.array([3], np.int32), num_items=len(a))
    equal(to.get(), np.maximum.accumulate(np.concatenate([[3], a[:-1]])))


def check_unary_transform():
    a = data()
    to = zeros(len(a), np.int32)
    compute.unary_transform(d_in=Device(a), d_out=to, op=lambda x: x * 2 + 1, num_items=len(a))
    equal(to.get(), a * 2 + 1)


def check_binary_transform():
    a, b = data(), data()
    to = zeros(len(a), np.int32)
    compute.binary_transform(d_in1=Device(a), d_in2=Device(b), d_out=to, op=OpKind.MINUS, num_items=len(a))
    equal(to.get(), a - b)


def check_merge_sort():
    a = data(5000)
    keys, values = zeros(len(a), np.int32), zeros(len(a), np.int32)
    places = np.arange(len(a), dtype=np.int32)
    compute.merge_sort(
        d_in_keys=Device(a), d_in_values=Device(places), d_out_keys=keys, d_out_values=values, num_items=len(a), op=OpKind.LESS
    )
    equal(keys.get(), np.sort(a))
    equal(values.get(), np.argsort(a, kind="stable"))


def check_unique_by_key():
    keys = np.sort(random.integers(0, 50, 1000)).astype(np.int32)
    items = data()
    to_keys, to_items, count = zeros(1000, np.int32), zeros(1000, np.int32), zeros(1, np.int64)
    compute.unique_by_key(
        d_in_keys=Device(keys),
        d_in_items=Device(items),
        d_out_keys=to_keys,
        d_out_items=to_items,
        d_out_num_selected=count,
        op=OpKind.EQUAL_TO,
        num_items=1000,
    )
    want, first = np.unique(keys, return_index=True)
    assert count.get()[0] == len(want)
    equal(to_keys.get()[: len(want)], want)
    equal(to_items.get()[: len(want)], items[first])


def check_segmented_reduce():
    a, bounds = data(), np.array([0, 10, 10, 500, 1000], np.int64)
    to = zeros(4, np.int32)
    compute.segmented_reduce(
        d_in=Device(a),
        d_out=to,
        num_segments=4,
        start_offsets_in=Device(bounds[:-1]),
        end_offsets_in=Device(bounds[1:]),
        op=OpKind.PLUS,
        h_init=np.array([0], np.int32),
    )
    equal(to.get(), [a[first:last].sum() for first, last in zip(bounds[:-1], bounds[1:])])


def check_histogram():
    a = random.uniform(0, 10, 2000).astype(np.float32)
    to = zeros(10, np.int32)
    compute.histogram_even(
        d_samples=Device(a), d_histogram=to, num_output_levels=11, lower_level=np.float32(0), upper_level=np.float32(10), num_samples=len(a)
    )
    equal(to.get(), np.histogram(a, bins=10, range=(0, 10))[0])


def check_select():
    a = data()
    to, count = zeros(len(a), np.int32), zeros(2, np.int64)
    compute.select(d_in=Device(a), d_out=to, d_num_selected_out=count, cond=lambda x: x % 3 == 0, num_items=len(a))
    want = a[a % 3 == 0]
    assert count.get()[0] == len(want)
    equal(to.get()[: len(want)], want)


def check_bounds():
    a, values = np.sort(data()), data(64)
    for search, side in ((compute.lower_bound, "left"), (compute.upper_bound, "right")):
        to = zeros(64, np.uintp)
        search(d_data=Device(a), num_items=len(a), d_values=Device(values), num_values=64, d_out=to)
        equal(to.get(), np.searchsorted(a, values, side))


def check_three_ways():
    a = data()
    low, high, rest = (zeros(1000, np.int32) for _ in range(3))
    counts = zeros(2, np.int64)
    compute.three_way_partition(
        d_in=Device(a),
        d_first_part_out=low,
        d_second_part_out=high,
        d_unselected_out=rest,
        d_num_selected_out=counts,
        select_first_part_op=lambda x: x < 300,
        select_second_part_op=lambda x: x >= 800,
        num_items=1000,
    )
    first, second = counts.get()
    equal(low.get()[:first], a[a < 300])
    equal(high.get()[:second], a[a >= 800])


def check_memory_of_rmm():
    a = data()
    buffer = rmm.DeviceBuffer.to_device(a.tobytes())
    equal(buffer.copy_to_host().view(np.int32), a)


def check_pool_of_rmm():
    pool = rmm.mr.PoolMemoryResource(rmm.mr.CudaMemoryResource(), initial_pool_size=1 << 20)
    rmm.mr.set_current_device_resource(pool)
    buffers = [rmm.DeviceBuffer.to_device(bytes([i]) * 1000) for i in range(100)]
    assert all((buffer.copy_to_host() == i).all() for i, buffer in enumerate(buffers))
    del buffers
    rmm.mr.set_current_device_resource(rmm.mr.CudaMemoryResource())


def check_asynchronous_memory_of_rmm():
    stream = rmm.pylibrmm.stream.Stream()
    resource = rmm.mr.CudaAsyncMemoryResource()
    pointer = resource.allocate(4096, stream)
    resource.deallocate(pointer, 4096, stream)
    stream.synchronize()


run(f"cuda.compute {importlib.metadata.version('cuda-cccl')}", globals())
