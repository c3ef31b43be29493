//! An opcode such as `ld.global.v4.f32`, decoded once per module.
use super::cursor::{Cursor, Parsed};
use super::names::NameMap;
use super::tree::{Opcode, OpcodeId, Space};
use crate::isa::{self, Type};

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
        let opcode = decode(text).ok_or_else(|| at.error(format!("unknown instruction `{text}`")))?;
        let id = OpcodeId(self.list.len() as u32);
        self.list.push(opcode);
        self.by_text.insert(text, id);
        Ok(id)
    }
}

/// Takes an opcode apart: its row, and after the name the state space, the types and the rest.
fn decode(text: &str) -> Option<Opcode<'_>> {
    let (row, length) = isa::find(text)?;
    let mut opcode = Opcode { text, row, space: Space::Generic, modifiers: Vec::new(), types: Vec::new() };
    for part in text[length..].split('.').filter(|part| !part.is_empty()) {
        match (Type::parse(part), space(part)) {
            (Some(ty), _) => opcode.types.push(ty),
            (_, Some(space)) if opcode.space == Space::Generic => {
                opcode.space = space;
                // The window of a cluster's blocks is one of shared memory too, but not every form has it.
                if part == CLUSTER_WINDOW {
                    opcode.modifiers.push(part);
                }
            }
            _ => opcode.modifiers.push(part),
        }
    }
    Some(opcode)
}

const CLUSTER_WINDOW: &str = "shared::cluster";

fn space(part: &str) -> Option<Space> {
    Some(match part {
        "global" => Space::Global,
        "shared" | "shared::cta" | CLUSTER_WINDOW => Space::Shared,
        "local" => Space::Local,
        "const" => Space::Const,
        "param" | "param::entry" | "param::func" => Space::Param,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_types_and_modifiers_part() {
        let opcode = decode("ld.volatile.global.v2.f32").unwrap();
        assert_eq!(isa::row(opcode.row).name, "ld");
        assert_eq!((opcode.space, &opcode.modifiers[..]), (Space::Global, &["volatile", "v2"][..]));
        assert_eq!(opcode.types, [Type::F32]);
    }

    #[test]
    fn the_longest_row_name_wins() {
        let name = |text| isa::row(decode(text).unwrap().row).name;
        assert_eq!(name("cp.async.ca.shared.global"), "cp.async");
        assert_eq!(name("cp.async.wait_group"), "cp.async.wait_group");
        assert_eq!(name("bar.warp.sync"), "bar.warp.sync");
        assert_eq!(name("bar.sync"), "bar");
        assert!(decode("frobnicate.u32").is_none());
    }
}
