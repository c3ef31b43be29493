//! Functions of CUDA's device runtime: `vprintf`, `__assertfail`, `malloc`, `free`, launches of kernels.
//!
//! Arguments lie in the caller's local memory; so does the result.
use super::device_launch::DeviceKernel;
use super::printf;
use crate::exec::undefined::twins;
use crate::exec::view::lanes::{Lanes, Window};
use crate::fault::Fault;
use crate::memory::{Kind, space_of};
use crate::program::{Builtin, Call, Function, FunctionId};
use ptx::isa::Space;

/// Longest text that a kernel may print or assert with, in bytes.
const LONGEST_TEXT: usize = 64 << 10;

/// Warp instructions that a printed line stands for, and bytes of its text that stand for one more: so that a kernel that prints without end
/// spends its budget as fast as one that computes without end.
const LINE_INSTRUCTIONS: u64 = 4;
const BYTES_PER_INSTRUCTION: u64 = 16;

/// Does the function's work for the active lanes, one after the other. `false`: the launch stops.
pub(crate) fn run(
    lanes: &mut Lanes,
    functions: &[Function],
    which: Builtin,
    frame: u32,
    site: u32,
    call: &Call,
) -> bool {
    let parameter_bytes = |function: FunctionId| functions[function.0 as usize].parameter_bytes;
    let mut rest = lanes.mask;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let memory = lanes.context.device.memory();
        let thread = (lanes.context.who.block_index, lanes.context.who.warp, lane);
        let argument = |lanes: &Lanes, index: usize| {
            call.arguments.get(index).map_or(0, |&(offset, bytes)| local_value(lanes, lane, frame + offset, bytes))
        };
        let extents = |lanes: &Lanes, index: usize| {
            let word = |offset, axis: usize| local_value(lanes, lane, frame + offset + 4 * axis as u32, 4) as u32;
            let begin = call.arguments.get(index).filter(|(_, bytes)| *bytes == 12);
            begin.map_or([0; 3], |&(offset, _)| std::array::from_fn(|axis| word(offset, axis)))
        };
        // Grid, blocks and bytes of shared memory stand side by side.
        let kernel = |lanes: &Lanes, function: usize, grid: usize| {
            let (function, shared) = (argument(lanes, function), argument(lanes, grid + 2) as u32);
            DeviceKernel::new(functions, function, extents(lanes, grid), extents(lanes, grid + 1), shared)
        };
        let result = match which {
            Builtin::ParameterBufferV2 => {
                let kernel = kernel(lanes, 0, 1);
                let bytes = kernel.map_or(0, |kernel| parameter_bytes(kernel.function).into());
                lanes.context.device.launches.room(memory, thread, bytes, kernel.map(Some))
            }
            Builtin::ParameterBuffer => {
                let bytes = argument(lanes, 1);
                lanes.context.device.launches.room(memory, thread, bytes, Ok(None))
            }
            Builtin::LaunchDeviceV2 => {
                let (room, stream) = (argument(lanes, 0), argument(lanes, 1));
                lanes.context.device.launches.launch(memory, thread, room, Ok(None), parameter_bytes, stream).into()
            }
            Builtin::LaunchDevice => {
                let (kernel, room, stream) = (kernel(lanes, 0, 2), argument(lanes, 1), argument(lanes, 5));
                let launches = &mut lanes.context.device.launches;
                launches.launch(memory, thread, room, kernel.map(Some), parameter_bytes, stream).into()
            }
            Builtin::GetLastError => lanes.context.device.launches.last_error(thread, true).into(),
            Builtin::PeekAtLastError => lanes.context.device.launches.last_error(thread, false).into(),
            Builtin::Vprintf => {
                let (format, arguments) = (argument(lanes, 0), argument(lanes, 1));
                print(lanes, lane, format, arguments, site)
            }
            Builtin::AssertFail => {
                let words = std::array::from_fn(|index| argument(lanes, index));
                fail_assertion(lanes, lane, words, site);
                return false;
            }
            Builtin::Malloc => allocate(lanes, argument(lanes, 0)),
            Builtin::Free => {
                let address = argument(lanes, 0);
                if !free(lanes, address) {
                    let at = lanes.context.place(site, 1 << lane);
                    lanes.context.stop(Fault::BadFree { at, address });
                    return false;
                }
                0
            }
        };
        if let Some(&(offset, bytes)) = call.returns.first() {
            let place = local_slice(lanes.local, lane, frame + offset, bytes);
            write(place, result);
        }
    }
    true
}

/// `vprintf`: returns how many arguments the format has asked for.
fn print(lanes: &mut Lanes, lane: usize, format: u64, arguments: u64, site: u32) -> u64 {
    let format = text(lanes, lane, format);
    let mut parts = Vec::new();
    let printed = printf::format(
        &format,
        LONGEST_TEXT,
        &mut |offset, bytes| {
            let mut value = [0; 8];
            read(lanes, lane, arguments + offset, &mut value[..bytes]);
            parts.push((arguments + offset, bytes));
            u64::from_le_bytes(value)
        },
        &|address| text(lanes, lane, address),
    );
    for &(address, bytes) in &parts {
        if let (Space::Local, window) = space_of(address) {
            twins::print_local(lanes, lane, address - window, bytes, site);
        }
    }
    let block = lanes.context.who.block_index;
    lanes.context.clock.instructions += LINE_INSTRUCTIONS + printed.len() as u64 / BYTES_PER_INSTRUCTION;
    lanes.context.device.printed.push((block, printed));
    parts.len() as u64
}

/// `__assertfail`: stops the launch.
fn fail_assertion(lanes: &mut Lanes, lane: usize, [expression, file, line, function]: [u64; 4], site: u32) {
    let at = lanes.context.place(site, lanes.mask);
    let string = |address| String::from_utf8_lossy(&text(lanes, lane, address)).into_owned();
    let (expression, file, function) = (string(expression), string(file), string(function));
    lanes.context.stop(Fault::Assert { at, expression, file, line: line as u32, function });
}

/// `malloc` of a kernel: 0 where the heap is spent.
fn allocate(lanes: &mut Lanes, bytes: u64) -> u64 {
    let Some(memory) = lanes.context.device.memory() else { return 0 };
    let used: u64 = memory.live().iter().filter(|a| a.kind == Kind::Heap).map(|a| a.bytes).sum();
    if bytes == 0 || used.saturating_add(bytes) > lanes.context.device.heap_bytes {
        return 0;
    }
    memory.allocate(bytes, Kind::Heap, "malloc").unwrap_or(0)
}

fn free(lanes: &mut Lanes, address: u64) -> bool {
    let Some(memory) = lanes.context.device.memory() else { return false };
    let is_heap = memory.find(address).is_some_and(|a| a.kind == Kind::Heap && a.address == address);
    address == 0 || (is_heap && memory.free(address).is_ok())
}

/// A string that ends in 0, from a generic address.
fn text(lanes: &Lanes, lane: usize, address: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while bytes.len() < LONGEST_TEXT && read(lanes, lane, address + bytes.len() as u64, &mut byte) && byte[0] != 0 {
        bytes.push(byte[0]);
    }
    bytes
}

/// Reads from a generic address as the lane sees it.
fn read(lanes: &Lanes, lane: usize, address: u64, into: &mut [u8]) -> bool {
    let (space, window) = space_of(address);
    let offset = address - window;
    match space {
        Space::Local => copy_out(lanes.local, lane as u64 * lanes.local.bytes, offset, into),
        Space::Shared => copy_out(lanes.shared, 0, offset, into),
        Space::Param => {
            let parameters = lanes.context.launch.parameters.get(offset as usize..).and_then(|p| p.get(..into.len()));
            parameters.map(|bytes| into.copy_from_slice(bytes)).is_some()
        }
        _ => lanes.context.device.memory().is_some_and(|memory| memory.read(address, into).is_ok()),
    }
}

#[allow(unsafe_code)]
fn copy_out(window: Window, segment: u64, offset: u64, into: &mut [u8]) -> bool {
    let inside = offset <= window.bytes && into.len() as u64 <= window.bytes - offset;
    if inside {
        // SAFETY: inside the window, or inside the lane's segment of it.
        let from = unsafe { std::slice::from_raw_parts(window.base.add((segment + offset) as usize), into.len()) };
        into.copy_from_slice(from);
    }
    inside
}

pub(super) fn local_value(lanes: &Lanes, lane: usize, offset: u32, bytes: u32) -> u64 {
    let mut value = [0; 8];
    let bytes = bytes.min(8) as usize;
    copy_out(lanes.local, lane as u64 * lanes.local.bytes, offset.into(), &mut value[..bytes]);
    u64::from_le_bytes(value)
}

/// A part of a lane's local memory; empty where it does not lie inside.
#[allow(unsafe_code)]
fn local_slice<'l>(window: Window, lane: usize, offset: u32, bytes: u32) -> &'l mut [u8] {
    if u64::from(offset) + u64::from(bytes) > window.bytes {
        return &mut [];
    }
    // SAFETY: inside the lane's segment; the warp's local memory lives through its turn, and only this call uses it.
    unsafe {
        let start = window.base.add(lane * window.bytes as usize + offset as usize);
        std::slice::from_raw_parts_mut(start, bytes as usize)
    }
}

fn write(place: &mut [u8], value: u64) {
    let bytes = value.to_le_bytes();
    let length = place.len().min(bytes.len());
    place[..length].copy_from_slice(&bytes[..length]);
}
