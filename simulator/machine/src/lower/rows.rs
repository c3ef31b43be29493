//! The last look at a lowered function, for what the executor's unsafe accessors take on trust.
use crate::exec::op::{Op, Row};
use crate::program::{End, Function, Target};

/// Returns whether every row that the function names begins inside its frame (after which the register file has
/// [`SLACK`](crate::exec::lanes::SLACK) bytes), and every op has one of its sites.
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

#[cfg(test)]
mod tests {
    use super::super::{Options, Tier, lower};
    use super::*;
    use crate::exec::op::Level;

    const TEXT: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) {
    .reg .b32 %r<3>; .reg .b64 %d; .reg .pred %p;
    ld.param.u64 %d, [p];
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p, %r1, 7;
    @%p bra L;
    shfl.sync.idx.b32 %r2, %r1, 3, 31, -1;
    st.global.u32 [%d], %r2;
L:  bar.sync 0;
    ret;
}";

    fn kernel() -> (Function, Vec<Op>) {
        let module = ptx::parse(TEXT).unwrap();
        let options = Options { addresses: &|_| None, tier: Tier::Bare, level: Level::Base };
        let mut lowered = lower(&module, &options).unwrap();
        let functions = std::sync::Arc::into_inner(lowered.program.functions);
        (functions.unwrap().remove(0), lowered.ops.remove(0))
    }

    #[test]
    fn a_row_outside_is_seen_wherever_it_stands() {
        let spoilers: [fn(&mut Function, &mut [Op], Row); 6] = [
            |_, ops, row| ops[0].dst = row,
            |_, ops, row| ops.last_mut().unwrap().guard = row,
            |f, _, row| f.rows[0] = row,
            |f, _, row| f.constants[0].row = row,
            |f, _, row| {
                for block in &mut f.blocks {
                    if let End::Branch { when, .. } = &mut block.end {
                        *when = row;
                    }
                }
            },
            |f, _, row| {
                for block in &mut f.blocks {
                    if let End::Barrier(barrier) = &mut block.end {
                        barrier.id = row;
                    }
                }
            },
        ];
        let (function, ops) = kernel();
        assert!(are_inside(&function, &ops));
        for (i, spoil) in spoilers.iter().enumerate() {
            let (mut function, mut ops) = kernel();
            let beyond = Row(function.frame_bytes);
            spoil(&mut function, &mut ops, beyond);
            assert!(!are_inside(&function, &ops), "{i}");
        }
        let (function, mut ops) = kernel();
        ops[0].site = function.sites.len() as u32;
        assert!(!are_inside(&function, &ops));
    }
}
