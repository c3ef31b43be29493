//! Calls of device functions and of what the device runtime provides.
//!
//! Arguments and results lie in `.param` variables: in the caller's local memory, and at the beginning of the callee's.
//! A call copies them over, lane by lane, and makes a frame in the warp's registers and in its local memory.
use super::builtin::{self, local_value};
use super::warp::{MOST_CALLS, Runner, Warp, write_constants};
use super::warp_split::{Frame, WarpSplit};
use crate::exec::undefined::{propagation, twins};
use crate::exec::view::lane::WARP;
use crate::exec::view::lanes::Lanes;
use crate::fault::{self, Fault, Place};
use crate::memory::FUNCTION_WINDOW;
use crate::probe::Use;
use crate::program::{BasicBlock, BlockId, Call, Function, FunctionId, Slot, Target};
use ptx::isa::Space;

/// The result of entering a function.
pub(super) enum Entered {
    /// The split is in another frame.
    Frame,
    /// The simulator did the function's work; the caller goes on here.
    Builtin(BlockId),
    /// The launch stops.
    Stopped,
}

/// Local memory of a lane is at most so large, as on hardware.
const MOST_LOCAL_BYTES: u32 = 512 << 10;

/// Enters the called function, with all lanes of the split that call the same one.
pub(crate) fn enter(
    runner: &mut Runner,
    warp: &mut Warp,
    split: &mut WarpSplit,
    caller: &Function,
    block: &BasicBlock,
    call: &Call,
) -> Entered {
    if let Target::Register(row) = &call.target {
        propagation::decide(runner.lanes, (*row, 8), split.mask, block.site, Use::Branch);
    }
    let id = match &call.target {
        Target::Function(id) => *id,
        Target::Builtin(which) => {
            return match builtin::run(
                runner.lanes,
                &runner.program.functions,
                *which,
                split.top.local,
                block.site,
                call,
            ) {
                true => {
                    let results = call.returns.iter();
                    results.for_each(|&(to, bytes)| twins::heal_local(runner.lanes, split.top.local + to, bytes));
                    Entered::Builtin(call.next)
                }
                false => Entered::Stopped,
            };
        }
        Target::Register(row) => match split_by_target(runner, warp, split, runner.lanes.get::<u64>(*row)) {
            Ok(id) => id,
            Err(address) => {
                let at = runner.lanes.context.place(block.site, split.mask);
                runner.lanes.context.stop(Fault::BadCall { at, address });
                return Entered::Stopped;
            }
        },
    };
    let program = runner.program;
    let callee = &program.functions[id.0 as usize];
    let frame_bytes = |function: u32| program.functions[function as usize].frame_bytes;
    let above = split.top.registers + caller.frame_bytes;
    let registers = warp.splits.free_registers(id.0, above, callee.frame_bytes, frame_bytes);
    let stack_bytes = runner.lanes.context.launch.facts.stack_bytes;
    let local = split.top.local + caller.local_bytes_with(stack_bytes).next_multiple_of(16);
    let local_end = local + callee.local_bytes_with(stack_bytes);
    if split.callers.len() >= MOST_CALLS || local_end > MOST_LOCAL_BYTES {
        let at = runner.lanes.context.place(block.site, split.mask);
        let depth = split.callers.len() as u32 + 1;
        runner.lanes.context.stop(Fault::StackOverflow { at, depth });
        return Entered::Stopped;
    }
    warp.reserve_registers((registers + callee.frame_bytes) as usize);
    // Twice as much, so that a recursion does not move its stack at every step.
    if warp.local_window().bytes < local_end.into() {
        warp.reserve_local((2 * local_end).min(MOST_LOCAL_BYTES));
    }
    if let Some(twins) = &mut runner.lanes.context.listener.twins {
        warp.fit(twins);
    }
    runner.lanes.local = warp.local_window();
    runner.lanes.mask = split.mask;
    for (&(from, bytes), slot) in call.arguments.iter().zip(&callee.parameters) {
        copy(runner.lanes, split.top.local + from, local + slot.offset, bytes.min(slot.bytes));
    }
    split.callers.push(Frame { at_end: false, ..split.top });
    split.top = Frame { function: id.0, block: 0, at_end: false, registers, local };
    warp.enter(runner, split, callee);
    twins::in_each(runner.lanes, |lanes| write_constants(lanes, callee, local));
    Entered::Frame
}

/// The calls that a place lies in, innermost first.
pub(super) fn under_way(runner: &Runner, split: &WarpSplit, at: &Place) -> Vec<fault::Call> {
    let functions = &runner.program.functions;
    let frames = split.callers.iter().enumerate().rev();
    let calls = frames.map(|(depth, caller)| {
        let frame = split.frame(depth + 1);
        let value = |slot: &Slot| local_value(runner.lanes, at.lane as usize, frame.local + slot.offset, slot.bytes);
        let site = functions[caller.function as usize].blocks[caller.block as usize].site;
        fault::Call {
            at: Place { function: caller.function, site, ..at.clone() },
            called: frame.function,
            arguments: functions[frame.function as usize].parameters.iter().map(value).collect(),
        }
    });
    calls.collect()
}

/// Returns to the caller.
pub(crate) fn leave(runner: &mut Runner, split: &mut WarpSplit) {
    let Some(caller) = split.callers.pop() else { return };
    let returned = std::mem::replace(&mut split.top, caller);
    let callee = &runner.program.functions[returned.function as usize];
    let function = &runner.program.functions[caller.function as usize];
    let crate::program::End::Call(call) = &function.blocks[caller.block as usize].end else { return };
    for (slot, &(to, bytes)) in callee.returns.iter().zip(&call.returns) {
        let Slot { offset, bytes: have, .. } = *slot;
        copy(runner.lanes, returned.local + offset, caller.local + to, bytes.min(have));
    }
    split.top.block = call.next.0;
}

/// Keeps in the split the lanes that call the same function as the first; the others call later.
fn split_by_target(
    runner: &Runner,
    warp: &mut Warp,
    split: &mut WarpSplit,
    addresses: [u64; WARP],
) -> Result<FunctionId, u64> {
    let address = addresses[split.mask.trailing_zeros() as usize];
    let id = address.wrapping_sub(FUNCTION_WINDOW);
    refuse_if!(id >= runner.program.functions.len() as u64, address);
    let same = split.mask & runner.lanes.pack(|lane| addresses[lane] == address);
    if same != split.mask {
        let mut others = split.clone();
        others.mask = split.mask & !same;
        others.top.at_end = true;
        warp.splits.0.push(others);
        split.mask = same;
    }
    Ok(FunctionId(id as u32))
}

/// Copies within each active lane's local memory, and says so to the probe.
fn copy(lanes: &mut Lanes, from: u32, to: u32, bytes: u32) {
    let window = lanes.local;
    let end = u64::from(from.max(to)) + u64::from(bytes);
    if end > window.bytes || bytes == 0 {
        return;
    }
    twins::in_each(lanes, |lanes| move_within(lanes, from, to, bytes));
    twins::move_local_origins(lanes, from, to, bytes);
    let (who, mask) = (lanes.context.who, lanes.mask);
    if let Some(probe) = lanes.context.probe() {
        probe.written(who, Space::Local, mask, &[to.into(); WARP], bytes);
    }
}

/// Moves bytes within each active lane's local memory, which both ranges lie in.
#[allow(unsafe_code)]
fn move_within(lanes: &mut Lanes, from: u32, to: u32, bytes: u32) {
    let window = lanes.local;
    lanes.each(|lane| {
        // SAFETY: both ranges lie inside the lane's segment: `copy` has compared their ends.
        unsafe {
            let segment = window.base.add(lane * window.bytes as usize);
            std::ptr::copy(segment.add(from as usize), segment.add(to as usize), bytes as usize);
        }
    });
}
