//! A look at a block that does not end: which loop its warp goes round, and what the loop's ways out compare.
//!
//! The block runs one turn more, watched: the basic blocks that it goes through are the loop, however many loops that do end lie in it or
//! around it. The operands of each exit's comparison are read before and after.
use super::lane::WARP;
use super::op::{Op, Row};
use super::thread_block::ThreadBlock;
use super::warp::Warp;
use super::worker::Worker;
use crate::fault::{Compared, Exit, Loop};
use crate::probe::{Probe, Who};
use crate::program::{BlockId, End, Function};
use ptx::isa::{Class, Type};
use std::any::Any;
use std::collections::BTreeSet;

/// Warp instructions of the turn that is watched.
const WATCHED: u64 = 1 << 20;

/// The basic blocks that ran, by function.
#[derive(Default)]
struct Footprint(BTreeSet<(u32, u32)>);

impl Probe for Footprint {
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(Footprint::default())
    }

    fn join(&mut self, worker: Box<dyn Probe>) {
        if let Ok(worker) = worker.into_any().downcast::<Footprint>() {
            self.0.extend(worker.0);
        }
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }

    fn run(&mut self, who: Who, block: u32, _mask: u32, _live: u32) {
        self.0.insert((who.function, block));
    }
}

/// Where the loop's values are: a lane, and the frame of the function that has the loop.
struct Frame {
    lane: usize,
    registers: u32,
}

/// Watches one more turn of a block. `None` where it ended in it, or stopped for another reason.
pub(super) fn watch(block: &mut ThreadBlock, worker: &mut Worker) -> Option<Loop> {
    let warp = block.running();
    let split = block.warps().get(warp)?.splits.0.iter().max_by_key(|split| split.turns)?;
    let lane = split.mask.trailing_zeros() as usize % WARP;
    let frames: Vec<(u32, u32)> = split.callers.iter().chain([&split.top]).map(|f| (f.function, f.registers)).collect();

    let before: Vec<Vec<u8>> = block.warps().iter().map(Warp::register_bytes).collect();
    let listeners = worker.lanes.context.replace_probe(Some(Box::<Footprint>::default()));
    worker.turn_ends = worker.lanes.context.clock.instructions + WATCHED;
    block.run(worker);
    let watched = worker.lanes.context.replace_probe(listeners)?;
    let Footprint(ran) = *watched.into_any().downcast::<Footprint>().ok()?;
    if worker.lanes.context.fault.is_some() {
        return None;
    }
    // The outermost frame that ran is the one that calls again and again.
    let (function, registers) =
        frames.into_iter().find(|&(function, _)| ran.iter().any(|&(own, _)| own == function))?;
    let frame = Frame { lane, registers };
    let after = block.warps().get(warp)?.register_bytes();
    let program = worker.program;
    let (code, ops) = (&program.functions[function as usize], &program.ops[function as usize]);
    let blocks: Vec<u32> = ran.iter().filter(|(own, _)| *own == function).map(|&(_, block)| block).collect();
    let exits = blocks.iter().filter_map(|&block| exit(code, ops, &blocks, block, &frame, [&before[warp], &after]));
    let exits = exits.collect();
    let sites = blocks.iter().map(|&block| code.blocks[block as usize].sites.clone()).collect();
    Some(Loop { function, sites, exits })
}

/// The way out of the loop at the end of one of its blocks.
fn exit(code: &Function, ops: &[Op], blocks: &[u32], block: u32, frame: &Frame, files: [&[u8]; 2]) -> Option<Exit> {
    let own = &code.blocks[block as usize];
    let End::Branch { when, taken, next, .. } = &own.end else { return None };
    let stays = |target: &BlockId| blocks.contains(&target.0);
    let left = match (stays(taken), stays(next)) {
        (true, false) => next,
        (false, true) => taken,
        _ => return None,
    };
    if comes_back(code, blocks, left.0) {
        return None;
    }
    let writes = |block: u32| {
        let range = &code.blocks[block as usize].ops;
        let ops = &ops[range.start as usize..range.end as usize];
        ops.iter().rev().find(|op| op.dst == *when && code.sites[op.site as usize].class == Class::Compare)
    };
    let compare = std::iter::once(block).chain(blocks.iter().copied()).find_map(writes);
    let compared = compare.and_then(|op| {
        let bytes = operand_bytes(code.sites[op.site as usize].opcode.last?)?;
        let value = |file: &[u8], row: Row| lane_bits(file, frame, row, bytes);
        let sides = |file: &[u8]| Some([value(file, op.a)?, value(file, op.b)?]);
        Some(Compared { site: op.site, before: sides(files[0])?, after: sides(files[1])? })
    });
    Some(Exit { site: own.site, compared })
}

/// Returns whether a block that did not run belongs to the loop all the same: it leads to a block of the loop other than its first, which is the
/// only way into a loop from outside.
fn comes_back(code: &Function, blocks: &[u32], from: u32) -> bool {
    let first = blocks.iter().min();
    let mut seen = BTreeSet::from([from]);
    let mut todo = vec![from];
    while let Some(block) = todo.pop() {
        for BlockId(next) in code.blocks[block as usize].end.successors() {
            if Some(&next) == first {
                continue;
            }
            if blocks.contains(&next) {
                return true;
            }
            if seen.insert(next) {
                todo.push(next);
            }
        }
    }
    false
}

/// Bytes of what `setp.lt.s32` compares; pairs are two values.
fn operand_bytes(ty: Type) -> Option<usize> {
    use Type::{Bf16x2, F16x2, F32x2, S16x2, U16x2};
    let pair = matches!(ty, F16x2 | Bf16x2 | F32x2 | S16x2 | U16x2);
    Some(ty.bytes() as usize).filter(|bytes| !pair && (1..=8).contains(bytes))
}

/// The value of a lane in a row of the frame.
fn lane_bits(file: &[u8], frame: &Frame, row: Row, bytes: usize) -> Option<u64> {
    let start = frame.registers as usize + row.0 as usize + frame.lane * bytes;
    let mut value = [0; 8];
    value[..bytes].copy_from_slice(file.get(start..start + bytes)?);
    Some(u64::from_le_bytes(value))
}
