"""PyTorch's own operations under `sim`, answered by its CPU kernels.

PyTorch's kernels for a card are machine code, which does not run here. The simulated card's memory is memory of the process, so an operation is
computed where its operands lie, on CPU tensors that view them. It is registered for the dispatcher's CUDA key, below autograd, modes and
subclasses, so it holds wherever an operation comes from. The driver is told what was read and written: an answer is work of its stream, as a
kernel is. What PyTorch compiles itself (Triton's kernels, `torch.compile`) runs as it is."""

import atexit
import collections
import contextlib
import ctypes
import functools
import json
import os
import warnings

import torch
from torch.utils.flop_counter import flop_registry

aten = torch.ops.aten
CPU = torch.device("cpu")

# These launch no kernel; nor do those whose result is a view.
NATIVE = """_local_scalar_dense _nested_view_from_buffer empty.memory_format empty_strided is_set_to record_stream resize_ set_ set_.source_Storage
set_.source_Storage_storage_offset set_.source_Tensor""".split()

# These take tensors of the host beside those of a card.
ACROSS = """copy_ index.Tensor index.Tensor_out index_put_ _index_put_impl_ index_put _use_cudnn_ctc_loss _use_cudnn_ctc_loss.Tensor
_use_miopen_ctc_loss _use_miopen_ctc_loss.Tensor""".split()

# PyTorch 2.15 has one kernel of these for all devices, which looks for a card's own.
OF_ALL_DEVICES = ["aten::ldexp.Tensor", "aten::ldexp.out", "aten::ldexp_"]

# These hand their operands on, so an unwritten element is no error yet.
COPIES = "copy_ cat cat.out clone _copy_from index_select index.Tensor gather constant_pad_nd".split()

# A row of a range that does not lie side by side is looked at by itself, up to so many.
MOST_ROWS = 1024

# Types that a card's kernels take sums in type float of.
NARROW = (torch.half, torch.bfloat16)

# The CUresult of a call that a capturing stream does not allow.
CAPTURING = 900


class Range(ctypes.Structure):
    """Bytes that an operation touches, as `labs_sim_answered` takes them."""

    _fields_ = [("address", ctypes.c_uint64), ("bytes", ctypes.c_uint64), ("is_written", ctypes.c_uint32), ("is_checked", ctypes.c_uint32)]


class Driver:
    """The functions beyond CUDA's interface."""

    def __init__(self):
        library = ctypes.CDLL("libcuda.so.1")
        self.before, self.after = library.labs_sim_before_answer, library.labs_sim_answered
        self.before.argtypes = [ctypes.c_void_p]
        self.to_card, self.to_host = library.cuMemcpyHtoDAsync_v2, library.cuMemcpyDtoHAsync_v2
        self.to_card.argtypes = [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
        self.to_host.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p]
        self.library, self.wait = library, library.cuStreamSynchronize
        self.wait.argtypes = [ctypes.c_void_p]
        self.after.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(Range), ctypes.c_uint64, ctypes.c_uint64]

    @staticmethod
    @functools.cache
    def get():
        return Driver()

    @functools.cache
    def primary(self, device):
        context = ctypes.c_void_p()
        self.check(self.library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "context")
        return context.value

    @contextlib.contextmanager
    def on(self, device):
        """The stream that a thread's work for a device goes to. As the runtime does, it takes the device's primary context where the thread has none,
        as autograd's have none, or another device's."""
        index = torch.cuda.current_device() if device.index is None else device.index
        before, wanted = ctypes.c_void_p(), self.primary(index)
        self.library.cuCtxGetCurrent(ctypes.byref(before))
        if before.value != wanted:
            self.library.cuCtxSetCurrent(ctypes.c_void_p(wanted))
        try:
            yield torch.cuda.current_stream(index).cuda_stream
        finally:
            if before.value not in (None, wanted):
                self.library.cuCtxSetCurrent(before)

    def check(self, code, name):
        if code == CAPTURING:
            raise RuntimeError(f"aten::{name} cannot be captured in a CUDA graph under sim: the host answers it\n  next: leave it out of the graph")
        if code:
            # As PyTorch words it: the driver's own words are on standard error.
            raise torch.AcceleratorError(f"CUDA error: {code} at aten::{name}")


class Count:
    """How often each operation was answered, for `sim`: a line at its first time, and the rest at the process' end."""

    def __init__(self):
        self.folder = os.environ.get("LABS_SIM_REFUSALS")
        self.clear()
        os.register_at_fork(after_in_child=self.clear)
        atexit.register(self.flush)

    def clear(self):
        self.times = collections.Counter()

    def add(self, name):
        self.times[name] += 1
        if self.times[name] == 1:
            self.write([name])

    def flush(self):
        self.times -= collections.Counter(self.times.keys())
        self.write(self.times)

    def write(self, names):
        if self.folder and os.path.isdir(self.folder):
            with open(os.path.join(self.folder, f"answered-{os.getpid()}"), "a") as file:
                file.writelines(json.dumps({"answered": [name, self.times[name]]}) + "\n" for name in names)


count = Count()


def on_host(tensor):
    """A CPU tensor of the same memory."""
    storage = tensor.untyped_storage()
    host = torch._C._construct_storage_from_data_pointer(storage.data_ptr(), CPU, storage.nbytes())
    view = torch.empty(0, dtype=tensor.dtype).set_(host, tensor.storage_offset(), tensor.shape, tensor.stride())
    view = view.conj() if tensor.is_conj() else view
    return torch._neg_view(view) if tensor.is_neg() else view


def on_card(tensor, device):
    """A result, in memory of the card."""
    if tensor.layout != torch.strided:
        return tensor.to(device)
    there = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=device)
    on_host(there).copy_(tensor)
    return there


def ranges(tensor, is_written, is_checked):
    """The bytes of a tensor's elements; none where they lie in too many rows."""
    size, start, rows, run = tensor.element_size(), tensor.data_ptr(), [0], tensor.element_size()
    for stride, extent in sorted(zip(tensor.stride(), tensor.shape)):
        if extent == 1 or stride == 0:
            continue
        if stride * size == run and len(rows) == 1:
            run *= extent
        elif len(rows) * extent > MOST_ROWS:
            return []
        else:
            rows = [row + i * stride * size for i in range(extent) for row in rows]
    return [Range(start + row, run, is_written, is_checked) for row in rows]


def copied(to, source, non_blocking=False):
    """A copy between the host and a card, by the driver. False: it is none, or one within cards."""
    if to.device.type == source.device.type or to.numel() == 0 or to.layout != torch.strided or source.layout != torch.strided:
        return False
    card = to if to.is_cuda else source
    if not card.is_contiguous() or card.is_conj() or card.is_neg() or to.shape != source.shape and to is not card:
        return False
    driver, size = Driver.get(), card.numel() * card.element_size()
    with driver.on(card.device) as stream:
        if card is to:
            host = source.resolve_conj().resolve_neg().to(to.dtype).expand(to.shape).contiguous()
            driver.check(driver.to_card(to.data_ptr(), host.data_ptr(), size, stream), "copy_")
            waits = not (non_blocking and source.is_pinned())
        else:
            is_direct = to.is_contiguous() and to.dtype == source.dtype and not to.is_conj() and not to.is_neg()
            host = to if is_direct else torch.empty(source.shape, dtype=source.dtype)
            driver.check(driver.to_host(host.data_ptr(), source.data_ptr(), size, stream), "copy_")
            waits = not (non_blocking and is_direct and to.is_pinned())
        if waits:
            driver.check(driver.wait(stream), "copy_")
    if host is not to and card is not to:
        to.copy_(host)
    return True


class Operands:
    """The arguments of one call, with those of a card as CPU tensors."""

    def __init__(self, operation, args, kwargs):
        self.device, self.generator, self.tensors, self.elsewhere, self.fresh = None, None, {}, False, []
        self.args = [self.host(value, argument) for value, argument in zip(args, operation.positional)]
        self.kwargs = {name: self.host(value, operation.by_name[name]) for name, value in kwargs.items()}
        if self.device is None:
            self.device = torch.device("cuda", torch.cuda.current_device())

    def host(self, value, argument):
        if isinstance(value, torch.Tensor):
            return self.host_tensor(value, argument)
        if isinstance(value, torch.device):
            self.device = value if value.type == "cuda" else self.device
            return CPU
        if isinstance(value, torch.Generator) and value.device.type == "cuda":
            self.generator = value
            return None
        if isinstance(value, (list, tuple)):
            return type(value)([self.host(one, argument) for one in value])
        return value

    def host_tensor(self, tensor, argument):
        if tensor.device.type != "cuda":
            self.elsewhere |= tensor.dim() > 0
            return tensor
        self.device = tensor.device
        is_written = argument.alias_info is not None and argument.alias_info.is_write
        if argument.is_out and tensor.numel() == 0:
            # It takes the result's shape, for which its storage may be too small.
            host = torch.empty(0, dtype=tensor.dtype)
            self.fresh.append((host, tensor))
        else:
            host = on_host(tensor)
        self.tensors[id(host)] = (host, tensor, is_written)
        return host

    def take_fresh(self):
        for host, tensor in self.fresh:
            if tensor.shape != host.shape or host.numel():
                tensor.resize_(1 + sum((extent - 1) * stride for extent, stride in zip(host.shape, host.stride())) if host.numel() else 0)
                tensor.as_strided_(host.shape, host.stride())
                on_host(tensor).copy_(host)

    def back(self, value, written):
        """A result as the caller gets it."""
        if isinstance(value, torch.Tensor):
            if id(value) in self.tensors:
                return self.tensors[id(value)][1]
            written.append(on_card(value, self.device))
            return written[-1]
        if isinstance(value, (list, tuple)):
            return type(value)([self.back(one, written) for one in value])
        return value


class Operation:
    """An operation of PyTorch's, and how it is answered."""

    def __init__(self, name):
        packet, _, overload = name.partition(".")
        self.label = packet
        self.name, self.function = name, getattr(getattr(aten, packet), overload or "default")
        arguments = self.function._schema.arguments
        self.positional = [argument for argument in arguments if not argument.kwarg_only]
        self.by_name = {argument.name: argument for argument in arguments}
        self.is_view = any(result.alias_info is not None and not result.alias_info.is_write for result in self.function._schema.returns)
        self.is_random = torch.Tag.nondeterministic_seeded in self.function.tags
        self.compute = OWN.get(name, self.function)
        self.of_tensors = [at for at, argument in enumerate(self.positional) if str(argument.type) == "Tensor"]

    def __call__(self, *args, **kwargs):
        if self.name == "copy_" and copied(*args, **kwargs):
            return args[0]
        operands = Operands(self, args, kwargs)
        if operands.elsewhere and operands.tensors and self.name not in ACROSS:
            raise RuntimeError(
                f"Expected all tensors to be on the same device, but found at least two devices, {operands.device} and cpu! (when checking arguments of aten::{self.name})"
            )
        count.add(self.label)
        driver = Driver.get()
        with driver.on(operands.device) as stream:
            driver.check(driver.before(stream), self.name)
            result = self.drawn(operands) if self.is_random else self.computed(operands.args, operands.kwargs)
            operands.take_fresh()
            results = []
            answer = operands.back(result, results)
            self.tell(stream, operands, results, self.multiply_adds(args, kwargs, answer))
        return answer

    def multiply_adds(self, args, kwargs, answer):
        """Those of products and convolutions; the others take their time with their bytes."""
        if self.function.overloadpacket not in flop_registry:
            return 0
        return int(flop_registry[self.function.overloadpacket](*args, **kwargs, out_val=answer)) // 2

    def computed(self, args, kwargs):
        if self.name in WIDE:
            narrow = next((x.dtype for x in args if isinstance(x, torch.Tensor) and x.dtype in NARROW), None)
            if narrow:
                return self.widened(narrow, torch.float, args, kwargs)
        if any(not isinstance(args[at], torch.Tensor) for at in self.of_tensors if at < len(args)):
            # A number in a tensor's place (`x % 7`), which another overload takes.
            return self.function.overloadpacket(*args, **kwargs)
        try:
            return self.compute(*args, **kwargs)
        except (RuntimeError, NotImplementedError) as error:
            # A type that a card's kernel takes and the CPU's does not: computed in a wider one.
            why = str(error)
            narrow = next((narrow for narrow in WIDER if f"not implemented for '{narrow}'" in why or why.endswith(f"of type: {narrow}")), None)
            if narrow is None:
                raise
        return self.widened(*WIDER[narrow], args, kwargs)

    def widened(self, narrow, wide, args, kwargs):
        changed = []

        def widen(value):
            if isinstance(value, torch.Tensor) and value.dtype == narrow:
                changed.append((value, value.to(wide)))
                return changed[-1][1]
            if isinstance(value, torch.dtype):
                return wide if value == narrow else value
            return type(value)(map(widen, value)) if isinstance(value, (list, tuple)) else value

        def narrowed(value):
            if isinstance(value, torch.Tensor):
                own = next((own for own, wider in changed if wider is value), None)
                return own if own is not None else value.to(narrow) if value.dtype == wide else value
            return type(value)(map(narrowed, value)) if isinstance(value, (list, tuple)) else value

        result = self.compute(*map(widen, args), **{name: widen(value) for name, value in kwargs.items()})
        for own, wider in changed:
            if self.function._schema.is_mutable and own.shape == wider.shape:
                own.copy_(wider)
        return narrowed(result)

    def drawn(self, operands):
        """Random numbers: a card's own where they are known, else those of the CPU's generator, begun from the state of the card's."""
        own = operands.generator or torch.cuda.default_generators[operands.device.index or 0]
        draw = DRAWS.get(self.name)
        if draw and (drawn := draw(own, *operands.args)) is not None:
            return operands.args[0].copy_(drawn)
        state = torch.default_generator.get_state()
        torch.default_generator.manual_seed((own.initial_seed() * 0x9E3779B97F4A7C15 + own.get_offset()) % 2**63)
        own.set_offset(own.get_offset() + 4)
        try:
            return self.computed(operands.args, operands.kwargs)
        finally:
            torch.default_generator.set_state(state)

    def tell(self, stream, operands, results, multiply_adds):
        """Tells the driver which bytes were read and written, as work of the stream."""
        touched = []
        for _, tensor, is_written in operands.tensors.values():
            if tensor.numel() and tensor.layout == torch.strided:
                touched += ranges(tensor, is_written, not is_written and self.name not in COPIES)
        for tensor in results:
            if tensor.numel() and tensor.layout == torch.strided:
                touched += ranges(tensor, True, False)
        driver = Driver.get()
        driver.check(driver.after(stream, self.label.encode(), (Range * len(touched))(*touched), len(touched), multiply_adds), self.name)


# Sums that a card takes in type float, and the CPU in that of its operands.
WIDE = "native_layer_norm_backward native_batch_norm_backward native_group_norm_backward".split()

# Types by the names that errors have for them, with those that the CPU computes in their place.
WIDER = {
    "Half": (torch.half, torch.float),
    "BFloat16": (torch.bfloat16, torch.float),
    "ComplexHalf": (torch.complex32, torch.complex64),
    "Bool": (torch.bool, torch.uint8),
}


def philox(counter, lanes, seed):
    """Philox4x32-10: four numbers of 32 bits for each lane (J. K. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011)."""
    low = 0xFFFFFFFF
    c = [torch.full_like(lanes, counter & low), torch.full_like(lanes, counter >> 32 & low), lanes & low, lanes >> 32]
    k = [seed & low, seed >> 32 & low]
    for _ in range(10):
        a, b = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [b >> 32 & low ^ c[1] ^ k[0], b & low, a >> 32 & low ^ c[3] ^ k[1], a & low]
        k = [k[0] + 0x9E3779B9 & low, k[1] + 0xBB67AE85 & low]
    return torch.stack(c)


def raw(generator, x):
    """The numbers that PyTorch's kernel gets for the elements of a tensor: blocks of 256 threads, as many as the card holds, each thread with a
    sequence of its own, of which it takes four at a time. None: they are drawn in another way."""
    if not x.is_contiguous() or x.numel() == 0 or x.dtype in (torch.double, torch.complex64, torch.complex128):
        return None
    card = torch.cuda.get_device_properties(generator.device)
    threads = 256 * min(card.multi_processor_count * (card.max_threads_per_multi_processor // 256), -(-x.numel() // 256))
    turns = -(-x.numel() // (4 * threads))
    offset, lanes = generator.get_offset() // 4, torch.arange(threads)
    generator.set_offset(generator.get_offset() + 4 * turns)
    return torch.cat([philox(offset + turn, lanes, generator.initial_seed()) for turn in range(turns)])


def in_order(numbers, x):
    return numbers.flatten()[: x.numel()].view(x.shape)


def uniform(generator, x, start=0.0, end=1.0):
    if (drawn := raw(generator, x)) is None:
        return None
    unit = (drawn.double() * 2**-32).float() + 2**-33
    value = (unit * (end - start) + start).to(x.dtype)
    return in_order(torch.where(value == end, torch.full_like(value, start), value), x)


def normal(generator, x, mean=0.0, std=1.0):
    if (drawn := raw(generator, x)) is None:
        return None
    unit = drawn.double() * 2**-32 + 2**-33
    a, b = unit[0::2], unit[1::2]
    radius, angle = (-2 * a.log()).sqrt(), 2 * torch.pi * b
    pairs = torch.stack([radius * angle.sin(), radius * angle.cos()], 1).flatten(0, 1).float()
    return in_order((pairs * std + mean).to(x.dtype), x)


def integers(generator, x, start, end=None):
    start, end = (0, start) if end is None else (start, end)
    if end - start >= 2**28 or (drawn := raw(generator, x)) is None:
        return None
    return in_order((drawn % (end - start) + start).to(x.dtype), x)


# Those whose numbers are a card's.
DRAWS = {"uniform_": uniform, "normal_": normal, "random_.from": integers, "random_.to": integers}


def lstm_cell(input_gates, hidden_gates, cx, input_bias=None, hidden_bias=None):
    gates = input_gates + hidden_gates
    gates = gates if input_bias is None else gates + input_bias + hidden_bias
    i, f, g, o = gates.chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    cy = f * cx + i * g
    return o * cy.tanh(), cy, torch.cat([i, f, g, o], 1)


def lstm_cell_backward(grad_hy, grad_cy, cx, cy, workspace, has_bias):
    i, f, g, o = workspace.chunk(4, 1)
    hy_part = torch.zeros_like(cy) if grad_hy is None else grad_hy
    through = hy_part * o * (1 - cy.tanh() ** 2) + (0 if grad_cy is None else grad_cy)
    gates = torch.cat([through * g * i * (1 - i), through * cx * f * (1 - f), through * i * (1 - g * g), hy_part * cy.tanh() * o * (1 - o)], 1)
    return gates, through * f, gates.sum(0) if has_bias else None


def gru_cell(input_gates, hidden_gates, hx, input_bias=None, hidden_bias=None):
    input_gates = input_gates if input_bias is None else input_gates + input_bias
    hidden_gates = hidden_gates if hidden_bias is None else hidden_gates + hidden_bias
    (ir, ii, new), (hr, hi, hn) = input_gates.chunk(3, 1), hidden_gates.chunk(3, 1)
    r, i = (ir + hr).sigmoid(), (ii + hi).sigmoid()
    n = (new + r * hn).tanh()
    return n + i * (hx - n), torch.cat([r, i, n, hx, hn], 1)


def gru_cell_backward(grad_hy, workspace, has_bias):
    r, i, n, hx, hn = workspace.chunk(5, 1)
    through_n = grad_hy * (1 - i) * (1 - n * n)
    through_i, through_r = grad_hy * (hx - n) * i * (1 - i), through_n * hn * r * (1 - r)
    input_gates, hidden_gates = torch.cat([through_r, through_i, through_n], 1), torch.cat([through_r, through_i, through_n * r], 1)
    bias = (input_gates.sum(0), hidden_gates.sum(0)) if has_bias else (None, None)
    return input_gates, hidden_gates, grad_hy * i, *bias


def wide(x):
    return x.float() if x.dtype in NARROW else x


def rms_norm(x, shape, weight, eps):
    dims, own = tuple(range(-len(shape), 0)), wide(x)
    rstd = torch.rsqrt((own * own).mean(dims, keepdim=True) + (torch.finfo(x.dtype).eps if eps is None else eps))
    out = own * rstd if weight is None else own * rstd * weight
    return out.to(x.dtype), rstd


def rms_norm_backward(grad, x, shape, rstd, weight, mask):
    dims, normal = tuple(range(-len(shape), 0)), wide(x) * rstd
    scaled = grad * weight if weight is not None else wide(grad)
    dx = (scaled - normal * (scaled * normal).mean(dims, keepdim=True)) * rstd if mask[0] else None
    dw = (grad * normal).sum_to_size(shape).to(weight.dtype) if mask[1] and weight is not None else None
    return None if dx is None else dx.to(x.dtype), dw


def with_wide_statistics(function):
    """The statistics of a card's norms are of type float; those of the CPU's have the type of what is normed."""

    def norm(x, *args):
        if x.dtype not in NARROW:
            return function(x, *args)
        result, *statistics = function(x.float(), *(one.float() if isinstance(one, torch.Tensor) else one for one in args))
        return result.to(x.dtype), *statistics

    return norm


def attention(q, k, v, bias, dropout, causal, scale):
    if dropout:
        raise NotImplementedError("a fused attention with dropout is not answered under sim\n  next: leave torch.nn.attention.sdpa_kernel out, so that it is made of products")
    return aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, causal, attn_mask=bias, scale=scale)


def attention_backward(grad, q, k, v, out, lse, causal, bias, scale):
    return aten._scaled_dot_product_flash_attention_for_cpu_backward(grad, q, k, v, out, lse, 0.0, causal, attn_mask=bias, scale=scale)


def efficient_attention(q, k, v, bias, compute_lse, dropout=0.0, causal=False, *, scale=None):
    seed = torch.zeros((), dtype=torch.long)
    return *attention(q, k, v, bias, dropout, causal, scale), seed, seed.clone()


def efficient_attention_backward(grad, q, k, v, bias, out, lse, seed, offset, dropout, mask, causal=False, *, scale=None):
    if mask[3]:
        raise NotImplementedError("the gradient of a fused attention's bias is not answered under sim\n  next: leave torch.nn.attention.sdpa_kernel out")
    return *attention_backward(grad, q, k, v, out, lse, causal, bias, scale), None


def flash_attention(q, k, v, dropout=0.0, causal=False, return_debug_mask=False, *, scale=None):
    seed = torch.zeros(2, dtype=torch.uint64)
    out, lse = attention(q, k, v, None, dropout, causal, scale)
    return out, lse, None, None, q.shape[2], k.shape[2], seed, torch.zeros((), dtype=torch.uint64), torch.empty(0, dtype=q.dtype)


def flash_attention_backward(grad, q, k, v, out, lse, cum_q, cum_k, max_q, max_k, dropout, causal, seed, offset, *, scale=None):
    return attention_backward(grad, q, k, v, out, lse, causal, None, scale)


def in_type(function):
    """A product whose result has a type of its own, behind its operands."""

    def product(*args, out=None, **kwargs):
        at = next(at for at, value in enumerate(args) if isinstance(value, torch.dtype))
        result = function(*(x.to(args[at]) for x in args[:at]), *args[at + 1 :], **kwargs)
        return result if out is None else out.resize_(result.shape).copy_(result)

    return product


# Operations that the CPU has no kernel for, or chooses otherwise than a card.
OWN = {
    "_scaled_dot_product_efficient_attention": efficient_attention,
    "_scaled_dot_product_efficient_attention_backward": efficient_attention_backward,
    "_scaled_dot_product_flash_attention": flash_attention,
    "_scaled_dot_product_flash_attention_backward": flash_attention_backward,
    "native_layer_norm": with_wide_statistics(aten.native_layer_norm.default),
    "native_batch_norm": with_wide_statistics(aten.native_batch_norm.default),
    "_thnn_fused_lstm_cell": lstm_cell,
    "_thnn_fused_lstm_cell_backward_impl": lstm_cell_backward,
    "_thnn_fused_gru_cell": gru_cell,
    "_thnn_fused_gru_cell_backward": gru_cell_backward,
    "_fused_rms_norm": rms_norm,
    "_fused_rms_norm_backward": rms_norm_backward,
    **{f"_use_{library}_ctc_loss{form}": lambda *args, **kwargs: False for library in ("cudnn", "miopen") for form in ("", ".Tensor")},
    "_masked_scale": lambda x, mask, scale: x * mask * scale,
    **{f"{name}.{form}": in_type(getattr(torch, name)) for name in ("mm", "bmm", "addmm", "baddbmm") for form in ("dtype", "dtype_out")},
}


def tell_why_a_capture_ended(graph):
    """An error within a capture is what its `with` ends with, as it says why, in place of the one that the capture is invalid."""
    leave = graph.__exit__

    def exit(self, kind, error, trace):
        try:
            return leave(self, kind, error, trace)
        except RuntimeError:
            if error is None:
                raise
            self.stream_ctx.__exit__(kind, error, trace)
            return False

    graph.__exit__ = exit


def register():
    # cuDNN is machine code; without it, PyTorch takes its own operations.
    torch._C._set_cudnn_enabled(False)
    # Attention is made of products, unless a program asks for a fused one.
    for fused in (torch._C._set_sdp_use_flash, torch._C._set_sdp_use_mem_efficient, torch._C._set_sdp_use_cudnn):
        fused(False)
    tell_why_a_capture_ended(torch.cuda.graph)
    library = torch.library.Library("aten", "IMPL")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # That a kernel is overridden is the purpose.
        for name in [
            *torch._C._dispatch_get_registrations_for_dispatch_key("CUDA"),
            *("aten::copy_", "aten::convolution", "aten::convolution_backward"),
            *(name for name in OF_ALL_DEVICES if torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeExplicitAutograd")),
        ]:
            space, _, name = name.partition("::")
            operation = Operation(name) if space == "aten" and name not in NATIVE else None
            if operation and not operation.is_view:
                library.m.impl(name, "CUDA", operation, False)
    return library
