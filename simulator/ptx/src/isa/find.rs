//! From an opcode's text to its row.
use super::definition::Definition;
use super::table::INSTRUCTIONS;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Index into [`INSTRUCTIONS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowId(pub u16);

/// The row of a table index.
pub fn row(id: RowId) -> &'static Definition {
    &INSTRUCTIONS[usize::from(id.0)]
}

/// Finds the row that an opcode belongs to, and the length of the row's name in it: the row with the longest name that
/// the opcode starts with, dot by dot.
pub fn find(opcode: &str) -> Option<(RowId, usize)> {
    static ROWS: LazyLock<HashMap<&'static str, RowId>> =
        LazyLock::new(|| INSTRUCTIONS.iter().enumerate().map(|(i, row)| (row.name, RowId(i as u16))).collect());
    let mut end = opcode.len();
    loop {
        if let Some(&id) = ROWS.get(&opcode[..end]) {
            return Some((id, end));
        }
        end = opcode[..end].rfind('.')?;
    }
}
