//! The last look at a lowered function, for what the executor's unsafe accessors take on trust.
use crate::exec::op::{Op, Row};
use crate::program::{End, Function, Target};

/// Returns whether every row that the function names begins inside its frame (after which the register file has
/// [`SLACK`](crate::exec::view::lanes::SLACK) bytes), and every op has one of its sites.
pub fn are_inside(function: &Function, ops: &[Op]) -> bool {
    // Row 0 is also that of operands which an op does not have, in functions without a register too.
    let inside = |row: &Row| row.0 < function.frame_bytes.max(1);
    let ops = ops
        .iter()
        .all(|op| [op.dst, op.a, op.b, op.c, op.guard].iter().all(inside) && (op.site as usize) < function.sites.len());
    let ends = function.blocks.iter().all(|block| of_end(&block.end).iter().flatten().all(inside));
    ops && ends && function.rows.iter().all(inside) && function.constants.iter().all(|constant| inside(&constant.row))
}

/// The rows that a block's end names.
fn of_end(end: &End) -> [Option<Row>; 4] {
    match end {
        End::Branch { when: row, .. } | End::Switch { index: row, .. } => [Some(*row), None, None, None],
        End::Converge { members, .. } => [*members, None, None, None],
        End::Call(call) => match call.target {
            Target::Register(row) => [Some(row), None, None, None],
            Target::Function(_) | Target::Builtin(_) => [None; 4],
        },
        End::Barrier(barrier) => {
            [Some(barrier.id), Some(barrier.dst), barrier.count, barrier.predicate.map(|(row, _)| row)]
        }
        End::Jump(_) | End::Cluster { .. } | End::Exit | End::Return | End::Trap | End::Fall => [None; 4],
    }
}
