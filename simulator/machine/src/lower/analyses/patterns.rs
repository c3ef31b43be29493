//! Which accesses of a block need not look at their addresses: those whose address register another access has looked at.
//!
//! Between the two nothing may write the register, and both run for the same lanes, so neither has a guard.
use crate::exec::accesses::access::AccessForm;
use crate::exec::fast_paths::pattern::PLACES;
use crate::exec::op::{Dataflow, Op, Row};
use crate::exec::view::WARP;
use crate::program::BasicBlock;
use std::ops::Range;

/// Bytes of the widest row.
const WIDEST: u32 = (WARP * size_of::<u128>()) as u32;

/// An address register that an access has looked at, and nothing has written since.
struct Seen {
    row: Row,
    address_32: bool,
    /// Bytes of an element: dense addresses are that far apart.
    bytes: u8,
    /// The op that looked.
    op: usize,
    /// The place of the pattern, once another access takes it from there.
    place: Option<usize>,
}

impl Seen {
    fn range(&self) -> Range<u32> {
        self.row.0..self.row.0 + WARP as u32 * if self.address_32 { 4 } else { 8 }
    }
}

/// Marks the accesses of the blocks. `accesses` are the ops that plain loads and stores became, in order; `rows` the function's.
pub fn mark(blocks: &[BasicBlock], ops: &mut [Op], accesses: &[u32], rows: &[Row]) {
    for block in blocks {
        let range = block.ops.clone();
        let mut accesses = accesses.iter().copied().filter(|op| range.contains(op)).peekable();
        if accesses.clone().count() < 2 {
            continue;
        }
        let mut seen: Vec<Seen> = Vec::new();
        let mut taken_until = [0; PLACES];
        for index in range.start as usize..range.end as usize {
            let is_access = accesses.next_if_eq(&(index as u32)).is_some();
            if is_access && ops[index].guard_negated.is_none() && AccessForm(ops[index].data).has(AccessForm::HOT) {
                look(&mut seen, &mut taken_until, ops, index);
            }
            forget_written(&mut seen, &ops[index], rows);
        }
    }
}

/// One access: takes the pattern that another has found, or looks itself. `taken_until`: of each place, the op that took from it last.
///
/// A place is free for two accesses if nobody else's pattern lies in it at any time between them: the first of them keeps it from then on.
fn look(seen: &mut Vec<Seen>, taken_until: &mut [usize; PLACES], ops: &mut [Op], index: usize) {
    let op = ops[index];
    let form = AccessForm(op.data);
    let address_32 = form.has(AccessForm::ADDRESS_32);
    let same = |seen: &Seen| (seen.row, seen.address_32, seen.bytes) == (op.a, address_32, op.bytes);
    let Some(at) = seen.iter().position(same) else {
        seen.push(Seen { row: op.a, address_32, bytes: op.bytes, op: index, place: None });
        return;
    };
    if seen[at].place.is_none() {
        let first = seen[at].op;
        let is_free = |place: usize| seen.iter().all(|seen| seen.place != Some(place)) && taken_until[place] <= first;
        let Some(place) = (0..PLACES).find(|&place| is_free(place)) else { return };
        seen[at].place = Some(place);
        ops[first].data = AccessForm(ops[first].data).at_place(place, AccessForm::KEEPS).0;
    }
    if let Some(place) = seen[at].place {
        ops[index].data = form.at_place(place, AccessForm::TAKES).0;
        taken_until[place] = index;
    }
}

/// Forgets the registers that an op writes, or may write.
fn forget_written(seen: &mut Vec<Seen>, op: &Op, rows: &[Row]) {
    let more = &rows[op.more as usize..][..usize::from(op.more_count)];
    let width = match op.dataflow {
        Dataflow::Stores => return,
        Dataflow::Once | Dataflow::Products | Dataflow::Updates => return seen.clear(),
        Dataflow::Moves | Dataflow::Selects | Dataflow::Computes | Dataflow::Loads if op.width != 0 => {
            WARP as u32 * u32::from(op.width)
        }
        _ => WIDEST,
    };
    let overlaps = |seen: &Seen, row: Row, width: u32| row.0 < seen.range().end && seen.range().start < row.0 + width;
    seen.retain(|seen| !overlaps(seen, op.dst, width) && !more.iter().any(|&row| overlaps(seen, row, WIDEST)));
}
