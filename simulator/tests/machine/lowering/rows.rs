//! No op of a function names a row outside of its frame: unsafe code relies on it.
use simulator::exec::op::{Op, Row};
use simulator::lower::are_inside;
use simulator::program::{End, Function};

const TEXT: &str = include_str!("rows.ptx");

fn kernel() -> (Function, Vec<Op>) {
    let mut lowered = super::program(TEXT);
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
