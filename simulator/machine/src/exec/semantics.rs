//! The semantics of each instruction of the table: the function that chooses it for a form.
use super::op::Selected;
use super::{
    async_copy, atomic, bits, bulk_copy, cluster_address, compare, convert, fence, float, integer, load, logic, matrix,
    matrix_memory, mbarrier, moves, special, store, surface, tensor_copy, texture, video, warp_ops, warpgroup,
    wmma_memory,
};
use ptx::instructions;
use ptx::isa::{Form, Refusal, RowId};

/// Chooses the semantics of a form, or says that this form is not modelled.
pub type Select = fn(&Form) -> Result<Selected, Refusal>;

macro_rules! semantics {
    ($($name:literal: $class:ident, $work:ident, $operands:ident [$($width:expr),*], $($semantics:ident)::+,
        $doc:literal $(, $attribute:ident($($argument:expr),*))*;)*) => {
        /// In the order of the table.
        const SEMANTICS: &[Select] = &[$($($semantics)::+),*];
    };
}
instructions!(semantics);

/// The semantics of a row.
pub fn select(row: RowId, form: &Form) -> Result<Selected, Refusal> {
    SEMANTICS[usize::from(row.0)](form)
}

/// Stands in rows that nothing executes.
fn unmodelled(_: &Form) -> Result<Selected, Refusal> {
    Err(Refusal::NotModelled)
}

/// Stands in rows that end a basic block: `lower` makes ends of them, which warps follow, so no op does them.
fn control(_: &Form) -> Result<Selected, Refusal> {
    Err(Refusal::NoSuchForm)
}
