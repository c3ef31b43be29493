//! The semantics of each instruction of the table: the function that chooses it for a form.
use crate::exec::accesses::{atomic, cluster_address, fence, load, stack, store};
use crate::exec::arithmetic::{bits, compare, convert, float, integer, logic, moves, special, video};
use crate::exec::asynchronous::{async_copy, bulk_copy, mbarrier, tensor_copy};
use crate::exec::matrices::{matrix, matrix_memory, warpgroup, wmma_memory};
use crate::exec::textures::{surface, texture};
use crate::exec::view::Selected;
use crate::exec::warps::warp_ops;
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
