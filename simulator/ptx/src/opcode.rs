//! An opcode such as `ld.global.v4.f32`, decoded once per module.
use super::cursor::{Cursor, Parsed};
use super::names::NameMap;
use super::tree::OpcodeId;
use crate::isa::Opcode;

/// The opcodes of a module so far.
#[derive(Default)]
pub struct Opcodes<'t> {
    pub list: Vec<Opcode<'t>>,
    by_text: NameMap<'t, OpcodeId>,
}

impl<'t> Opcodes<'t> {
    /// The opcode of a text, decoded at its first use; `at` is where it stands, for the error.
    #[inline]
    pub fn intern(&mut self, text: &'t str, at: &Cursor<'t>) -> Parsed<OpcodeId> {
        if let Some(&id) = self.by_text.get(text) {
            return Ok(id);
        }
        let opcode = Opcode::parse(text).ok_or_else(|| at.error(format!("unknown instruction `{text}`")))?;
        let id = OpcodeId(self.list.len() as u32);
        self.list.push(opcode);
        self.by_text.insert(text, id);
        Ok(id)
    }
}

/// Returns whether an opcode moves vectors.
#[inline]
pub fn moves_vectors(opcode: &str) -> bool {
    opcode.strip_prefix("mov.v").is_some_and(|rest| rest.starts_with(['2', '4']))
}
