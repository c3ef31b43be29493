//! The semantics of each form, chosen once.
use super::draft::Draft;
use crate::exec::op::Selected;
use crate::exec::semantics;
use ptx::isa::{Form, Refusal, Space, Special, forms};
use ptx::names::NameHasher;
use ptx::tree::{Module, OpcodeId};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Semantics that were chosen before: modules have many instructions of few forms.
#[derive(Default)]
pub struct Selections(HashMap<FormKey, Result<Selected, Refusal>, BuildHasherDefault<NameHasher>>);

#[derive(PartialEq, Eq, Hash)]
struct FormKey {
    opcode: OpcodeId,
    space: Space,
    widths: [u8; 4],
    vector: u8,
    special: Option<Special>,
    call_parameter: bool,
}

impl Selections {
    /// The semantics of a draft.
    pub fn of(&mut self, module: &Module, opcode: OpcodeId, draft: &Draft) -> Result<Selected, Refusal> {
        let &Draft { space, widths, vector, special, call_parameter, .. } = draft;
        let key = FormKey { opcode, space, widths, vector, special, call_parameter };
        *self.0.entry(key).or_insert_with(|| {
            let opcode = &module.opcodes[opcode.0 as usize];
            let (modifiers, types) = (&opcode.modifiers[..], &opcode.types[..]);
            let form = Form { space, modifiers, types, widths, vector, special, call_parameter };
            semantics::select(opcode.row, &form).map_err(|refusal| match forms::is_taken(opcode) {
                Some(true) => Refusal::NotModelled,
                _ => refusal,
            })
        })
    }
}
