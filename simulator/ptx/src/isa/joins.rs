//! Pairs of instructions of the text that the assembler joins, because one makes an operand of the other.
use super::facts::{Facts, Half};
use super::types::Type;
use super::unit::Unit;
use super::work::Work;

/// The units of an instruction joined with the one that makes an operand of it, where a machine has one for both. `find` looks for such
/// a maker by its opcode.
pub fn joins(user: &Facts, find: impl Fn(&dyn Fn(&Facts) -> bool) -> Option<usize>) -> Option<(usize, Vec<Unit>)> {
    use Type::{B32, B64, S32, S64, U32, U64};
    let with = |of: &dyn Fn(&Facts) -> bool, units: &[Unit]| find(of).map(|at| (at, units.to_vec()));
    let sums = |of: &Facts| matches!(of.work, Work::Add | Work::Subtract);
    let lower = |of: &Facts| of.work == Work::Multiply && of.half == Some(Half::Lower);
    let logic = |of: &Facts| matches!(of.work, Work::And | Work::Logic) && of.last == Some(B32);
    let shifts = |of: &Facts, ty: Type| of.work == Work::ShiftLeft && of.last == Some(ty);
    match (user.work, user.last) {
        (Work::Add, Some(U64 | S64)) => {
            let whole = |of: &Facts| of.work == Work::Multiply && of.half == Some(Half::Whole);
            let product = |of: &Facts| lower(of) && matches!(of.last, Some(U64 | S64));
            with(&whole, &[Unit::Wide])
                .or_else(|| with(&|of| shifts(of, B64), &[Unit::Integer, Unit::Add]))
                .or_else(|| with(&product, &[Unit::Multiply, Unit::Wide, Unit::Multiply, Unit::Integer]))
        }
        (Work::Add | Work::Subtract, Some(U32 | S32)) => {
            let narrow = |of: &Facts| matches!(of.last, Some(U32 | S32));
            let shifted = |of: &Facts| shifts(of, B32) || of.work == Work::FunnelShift && of.to_the_left;
            with(&|of| lower(of) && narrow(of), &[Unit::Multiply])
                .or_else(|| with(&shifted, &[Unit::Integer]))
                .or_else(|| with(&|of| sums(of) && narrow(of), &[Unit::Integer]))
        }
        _ if logic(user) => with(&logic, &[Unit::Integer]),
        _ => None,
    }
}
