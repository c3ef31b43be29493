//! A look at warps that do not end: which loop each goes round, what the loop's ways out compare, and whether one of them can ever be taken.
//!
//! They run on, watched: the basic blocks that a warp goes through are its loop, however many loops that do end lie in it or
//! around it. For a message, the operands of each exit's comparison are read before and after.
use super::executable::Executable;
use super::footprint::Footprint;
use super::thread_block::ThreadBlock;
use super::worker::Worker;
use crate::exec::view::{Op, Row, WARP};
use crate::exec::warps::warp::Warp;
use crate::exec::warps::warp_split;
use crate::fault::{Around, Compared, Exit, Loop};
use crate::program::{BlockId, End, Function, Site};
use ptx::isa::{Class, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Warp instructions of the turn that is watched.
const WATCHED: u64 = 1 << 20;

/// Returns whether no warp can leave the loop that it ran while memory stays as it is.
pub(super) fn goes_on_for_ever(footprint: &Footprint, program: &Executable) -> bool {
    let mut known = BTreeMap::new();
    footprint.ran.iter().all(|(&(.., function), ran)| {
        let ran: BTreeSet<u32> = ran.keys().copied().collect();
        let never_ends = |(_, ran): &(u32, BTreeSet<u32>)| never_ends(&program.functions[function as usize], ran);
        let entry = known.entry((function, ran));
        *entry.or_insert_with_key(never_ends)
    })
}

/// Returns whether the values that decide a loop's ways out are the same in each round: each is made of values from outside, and of memory, by
/// instructions that all rounds run. A value that is made of itself is not, and a special register may be a clock.
fn never_ends(code: &Function, ran: &BTreeSet<u32>) -> bool {
    let (mut todo, mut aside) = (Vec::new(), BTreeSet::new());
    for &block in ran {
        match left(code, ran, block).map(|left| comes_back(code, ran, left)) {
            Some(Some(seen)) => aside.extend(seen),
            Some(None) => todo.extend_from_slice(code.reads(&code.sites[code.blocks[block as usize].site as usize])),
            None => {}
        }
    }
    // By register: those that it is made of.
    let mut made_of: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    while let Some(register) = todo.pop() {
        if made_of.contains_key(&register) {
            continue;
        }
        let writes = |site: &&Site| code.writes(site).contains(&register);
        let writers: Vec<&Site> = sites(code, ran).filter(writes).collect();
        if writers.iter().any(|site| site.special) || sites(code, &aside).any(|site| writes(&site)) {
            return false;
        }
        let sources: BTreeSet<u32> = writers.iter().flat_map(|site| code.reads(site)).copied().collect();
        todo.extend(&sources);
        made_of.insert(register, sources);
    }
    // Those that are made of nothing go, one after the other: those of a circle stay.
    while let Some(done) = made_of.iter().find(|(_, sources)| sources.is_empty()).map(|(&register, _)| register) {
        made_of.remove(&done);
        made_of.values_mut().for_each(|sources| sources.retain(|source| *source != done));
    }
    made_of.is_empty()
}

fn sites<'f>(code: &'f Function, blocks: &BTreeSet<u32>) -> impl Iterator<Item = &'f Site> {
    blocks.iter().flat_map(|&block| {
        &code.sites[code.blocks[block as usize].sites.start as usize..code.blocks[block as usize].sites.end as usize]
    })
}

/// Where the loop's values are: a lane, and the frame of the function that has the loop.
struct Frame {
    lane: usize,
    registers: u32,
}

/// Watches one more turn of a block. `None` where it stopped for another reason, or went round no loop.
pub(super) fn watch(block: &mut ThreadBlock, worker: &mut Worker) -> Option<Around> {
    let before: Vec<Vec<u8>> = block.warps().iter().map(Warp::register_bytes).collect();
    let listeners = worker.lanes.context.replace_probe(None);
    worker.lanes.context.footprint = Some(Box::default());
    worker.turn_ends = worker.lanes.context.clock.instructions + WATCHED;
    let begun = block.instructions();
    block.run(worker);
    worker.lanes.context.replace_probe(listeners);
    let footprint = worker.lanes.context.footprint.take()?;
    if worker.lanes.context.fault.is_some() {
        return None;
    }
    let program = worker.program;
    if block.warps().iter().all(|warp| warp.splits.0.is_empty()) {
        return Some(Around::End);
    }
    // The outermost frame that ran is the one that calls again and again.
    let splits = block.warps().iter().flat_map(|warp| warp.splits.0.iter().map(move |split| (warp.index, split)));
    let around = splits.filter_map(|(warp, split)| {
        let ran = |frame: &warp_split::Frame| footprint.ran.get(&(block.index, warp, frame.function));
        let mut frames = split.callers.iter().chain([&split.top]);
        frames.find_map(|frame| Some((warp as usize, split, *frame, ran(frame)?)))
    });
    let (warp, split, warp_split::Frame { function, registers, .. }, ran) =
        around.max_by_key(|(_, split, ..)| split.turns)?;
    if ran.values().all(|&times| times == 1) {
        return None;
    }
    let blocks: BTreeSet<u32> = ran.keys().copied().collect();
    let lanes = block.warps().iter().flat_map(|warp| &warp.splits.0).map(|split| split.mask.count_ones()).sum();
    let sites = |function: u32, ran: &BTreeMap<u32, u64>| -> u64 {
        let count = |(&block, &times): (&u32, &u64)| {
            times * program.functions[function as usize].blocks[block as usize].sites.len() as u64
        };
        ran.iter().map(count).sum()
    };
    let own = footprint.ran.iter().filter(|((of, one, _), _)| (*of, *one as usize) == (block.index, warp));
    let alive = block.warps().iter().filter(|warp| !warp.splits.0.is_empty()).count() as u64;
    let spent = [begun / alive.max(1), own.map(|(key, ran)| sites(key.2, ran)).sum()];
    let frame = Frame { lane: split.mask.trailing_zeros() as usize % WARP, registers };
    let after = block.warps().get(warp)?.register_bytes();
    let (code, ops) = (&program.functions[function as usize], &program.ops[function as usize]);
    let exits = ran.iter().filter_map(|(&block, &rounds)| {
        Some(Exit { rounds, ..exit(code, ops, &blocks, block, &frame, [&before[warp], &after])? })
    });
    let exits = exits.collect();
    let sites = ran.keys().map(|&block| code.blocks[block as usize].sites.clone()).collect();
    Some(Around::Loop(Box::new(Loop { function, sites, exits, lanes, spent })))
}

/// Where the end of one of a loop's blocks leads out of what ran.
fn left(code: &Function, ran: &BTreeSet<u32>, block: u32) -> Option<u32> {
    let End::Branch { taken, next, .. } = &code.blocks[block as usize].end else { return None };
    match (ran.contains(&taken.0), ran.contains(&next.0)) {
        (true, false) => Some(next.0),
        (false, true) => Some(taken.0),
        _ => None,
    }
}

/// The way out of the loop at the end of one of its blocks.
fn exit(
    code: &Function,
    ops: &[Op],
    ran: &BTreeSet<u32>,
    block: u32,
    frame: &Frame,
    files: [&[u8]; 2],
) -> Option<Exit> {
    let own = &code.blocks[block as usize];
    let End::Branch { when, .. } = &own.end else { return None };
    if comes_back(code, ran, left(code, ran, block)?).is_some() {
        return None;
    }
    let writes = |block: u32| {
        let range = &code.blocks[block as usize].ops;
        let ops = &ops[range.start as usize..range.end as usize];
        ops.iter().rev().find(|op| op.dst == *when && code.sites[op.site as usize].class == Class::Compare)
    };
    let compare = std::iter::once(block).chain(ran.iter().copied()).find_map(writes);
    let compared = compare.and_then(|op| {
        let bytes = operand_bytes(code.sites[op.site as usize].opcode.last?)?;
        let value = |file: &[u8], row: Row| lane_bits(file, frame, row, bytes);
        let sides = |file: &[u8]| Some([value(file, op.a)?, value(file, op.b)?]);
        Some(Compared { site: op.site, before: sides(files[0])?, after: sides(files[1])? })
    });
    Some(Exit { site: own.site, compared, rounds: 0 })
}

/// Finds out whether a block that did not run belongs to the loop all the same: it leads to a block of the loop other than its first, which is the
/// only way into a loop from outside. Gives the blocks that it leads through.
fn comes_back(code: &Function, ran: &BTreeSet<u32>, from: u32) -> Option<BTreeSet<u32>> {
    let mut seen = BTreeSet::from([from]);
    let mut todo = vec![from];
    let mut back = false;
    while let Some(block) = todo.pop() {
        for BlockId(next) in code.blocks[block as usize].end.successors() {
            if ran.contains(&next) {
                back |= ran.first() != Some(&next);
            } else if seen.insert(next) {
                todo.push(next);
            }
        }
    }
    back.then_some(seen)
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
