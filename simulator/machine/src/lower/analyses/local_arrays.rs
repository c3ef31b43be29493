//! Which array of a thread's local memory an address lies in, as far as the text alone tells.
//!
//! Compilers put all arrays of a function into one variable of local memory: an array is then known by the constant that is
//! added to the variable's address. An offset added to the address of an array later stays in that array.
use ptx::isa::{self, Operands, Space};
use ptx::tree::{Base, Body, Instruction, Module, Operand, RegisterId, VariableId};

/// The part of local memory that an address lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Somewhere in a variable.
    Variable(VariableId),
    /// In the array that begins so many bytes into a variable.
    Array(VariableId, i64),
    /// Somewhere in local memory.
    Anywhere,
}

impl Region {
    /// Returns whether two addresses may be one.
    pub fn may_meet(self, other: Self) -> bool {
        match (self, other) {
            (Self::Anywhere, _) | (_, Self::Anywhere) => true,
            (Self::Array(..), Self::Array(..)) => self == other,
            _ => self.variable() == other.variable(),
        }
    }

    fn variable(self) -> Option<VariableId> {
        match self {
            Self::Variable(variable) | Self::Array(variable, _) => Some(variable),
            Self::Anywhere => None,
        }
    }

    fn joined(self, other: Self) -> Self {
        match (self.variable(), other.variable()) {
            _ if self == other => self,
            (Some(a), Some(b)) if a == b => Self::Variable(a),
            _ => Self::Anywhere,
        }
    }
}

/// The regions that a function's registers hold addresses of.
pub struct LocalArrays(Vec<Option<Region>>);

impl LocalArrays {
    /// The local arrays of a body. A register counts wherever it is written.
    pub fn of(module: &Module, body: &Body) -> Self {
        let mut regions = Self(vec![None; body.registers.len()]);
        let mut note = |changed, instruction: &Instruction| regions.note(module, body, instruction) || changed;
        while body.instructions().fold(false, &mut note) {}
        regions
    }

    /// Notes the addresses that an instruction makes. Returns whether there was a new one.
    fn note(&mut self, module: &Module, body: &Body, instruction: &Instruction) -> bool {
        let row = isa::row(module.opcodes[instruction.opcode.0 as usize].row);
        if !matches!(row.operands, Operands::Value | Operands::Move) {
            return false;
        }
        let [Operand::Register(RegisterId(result)), sources @ ..] = body.operands(instruction.operands) else {
            return false;
        };
        let known = sources.iter().filter_map(|source| self.of_operand(body, source));
        let Some(mut region) = known.reduce(Region::joined) else { return false };
        if let (Region::Variable(variable), [Operand::Register(_), Operand::Immediate(offset, _)]) = (region, sources) {
            region = Region::Array(variable, *offset as i64);
        }
        let before = &mut self.0[*result as usize];
        let after = Some(before.map_or(region, |before| before.joined(region)));
        std::mem::replace(before, after) != after
    }

    fn of_operand(&self, body: &Body, operand: &Operand) -> Option<Region> {
        match *operand {
            Operand::Register(RegisterId(register)) => self.0[register as usize],
            Operand::Variable(variable, _) => is_local(body, variable).then_some(Region::Variable(variable)),
            _ => None,
        }
    }

    /// Where in local memory a load or a store with this address takes place, if it does.
    pub fn accessed(&self, body: &Body, space: Space, address: &Operand) -> Option<Region> {
        let region = match *address {
            Operand::Address { base: Base::Register(RegisterId(register)), .. } => self.0[register as usize],
            Operand::Address { base: Base::Variable(variable), .. } => {
                is_local(body, variable).then_some(Region::Variable(variable))
            }
            _ => None,
        };
        match space {
            Space::Local => Some(region.unwrap_or(Region::Anywhere)),
            Space::Generic => region,
            _ => None,
        }
    }
}

fn is_local(body: &Body, variable: VariableId) -> bool {
    body.variables[variable.0 as usize].1.space == Space::Local
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx::parse;

    /// The regions of the addresses of all loads of a body.
    fn loads(text: &str) -> Vec<Option<Region>> {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {{\n\
             .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<2>;\n.local .align 16 .b8 depot[64];\n{text}\nret;\n}}"
        );
        let module = parse(&text).expect("parses");
        let body = module.functions[0].body.as_ref().expect("a body");
        let regions = LocalArrays::of(&module, body);
        let load = |instruction: &Instruction| {
            let opcode = &module.opcodes[instruction.opcode.0 as usize];
            let address = || &body.operands(instruction.operands)[1];
            (isa::row(opcode.row).name == "ld").then(|| regions.accessed(body, opcode.space, address()))
        };
        body.instructions().filter_map(load).collect()
    }

    const DEPOT: VariableId = VariableId(0);

    #[test]
    fn an_array_is_the_constant_behind_its_variable() {
        let found = loads(
            "mov.u64 %rd1, depot; cvta.local.u64 %rd2, %rd1; add.u64 %rd3, %rd1, 16; add.u64 %rd4, %rd2, 32;\n\
             again: ld.local.u32 %r1, [%rd3]; ld.u32 %r1, [%rd4+4]; add.s64 %rd3, %rd3, 4; @%p1 bra again;\n\
             add.s64 %rd5, %rd1, %rd8; ld.local.u32 %r2, [%rd5]; ld.local.u32 %r2, [depot+8];",
        );
        let [first, second, any, direct] = found[..] else { panic!("{found:?}") };
        assert_eq!([first, second], [Some(Region::Array(DEPOT, 16)), Some(Region::Array(DEPOT, 32))]);
        assert_eq!([any, direct], [Some(Region::Variable(DEPOT)); 2]);
    }

    #[test]
    fn what_may_be_one_address_meets() {
        let (first, second) = (Region::Array(DEPOT, 0), Region::Array(DEPOT, 16));
        let other = Region::Variable(VariableId(1));
        assert!(first.may_meet(first) && first.may_meet(Region::Variable(DEPOT)) && first.may_meet(Region::Anywhere));
        assert!(!first.may_meet(second) && !first.may_meet(other) && Region::Anywhere.may_meet(other));
    }

    #[test]
    fn other_memory_has_no_region() {
        let found = loads("ld.global.u32 %r1, [%rd1]; ld.u32 %r1, [%rd2]; ld.local.u32 %r1, [%rd3];");
        assert_eq!(found, [None, None, Some(Region::Anywhere)]);
    }
}
