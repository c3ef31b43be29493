//! Declarations of registers, of which GCC declares vectors too: a vector is so many registers after each other.
use super::body::FunctionParser;
use super::cursor::Parsed;
use super::expression;
use super::names::Binding;
use super::tree::{Instruction, Operand, Register, RegisterId, Span, Statement};
use crate::isa::Type;

/// Registers that one function may declare. NVRTC declares what it uses, and no kernel comes near.
const MOST_REGISTERS: u32 = 1 << 20;

impl<'t> FunctionParser<'t, '_> {
    /// `.reg .b32 %r<28>, %x, %y;` or `.reg .v2 .u64 %r45;`
    pub(super) fn registers(&mut self) -> Parsed<()> {
        self.cursor.directive()?;
        let mut here = self.cursor.mark();
        let mut word = self.cursor.directive()?;
        let elements = match word {
            ".v2" => 2,
            ".v4" => 4,
            _ => 1,
        };
        if elements > 1 {
            here = self.cursor.mark();
            word = self.cursor.directive()?;
        }
        let ty = Type::parse(&word[1..]).ok_or_else(|| self.cursor.expected_at(here, "a register type"))?;
        loop {
            let name = self.cursor.name()?;
            let first = RegisterId(self.body.registers.len() as u32);
            let here = self.cursor.mark();
            let count = match self.cursor.accept(b'<') {
                true if elements > 1 => return Err(self.cursor.error("a row of vector registers is not supported")),
                true => {
                    let count = expression::count(self.cursor)?;
                    self.cursor.expect(b'>')?;
                    Some(count)
                }
                false => None,
            };
            if count.unwrap_or(elements) > MOST_REGISTERS - first.0.min(MOST_REGISTERS) {
                return Err(self.cursor.error(format!("more than {MOST_REGISTERS} registers in one function")));
            }
            let fresh = match count {
                Some(count) => {
                    let registers = (0..count).map(|number| Register { name, number: Some(number), ty });
                    self.body.registers.extend(registers);
                    self.names.declare_family(name, Binding::Register(first), count)
                }
                None => {
                    self.body.registers.extend((0..elements).map(|_| Register { name, number: None, ty }));
                    let binding = match elements {
                        1 => Binding::Register(first),
                        _ => Binding::Vector(first, elements as u8),
                    };
                    self.names.declare(name, binding)
                }
            };
            refuse_if!(!fresh, self.cursor.error_at(here, format!("`{name}` is declared a second time")));
            if !self.cursor.accept(b',') {
                return self.cursor.expect(b';');
            }
        }
    }

    /// A vector register as a whole.
    pub(super) fn vector(&mut self, first: RegisterId, elements: u8) -> Operand<'t> {
        let start = self.body.operands.len() as u32;
        let registers = (0..u32::from(elements)).map(|element| Operand::Register(RegisterId(first.0 + element)));
        self.body.operands.extend(registers);
        Operand::Vector(Span { start, length: elements.into() })
    }

    /// `mov.v2.u64 %r45, {%r1, 0};`: one move for each element.
    pub(super) fn vector_move(&mut self, whole: Instruction) -> Parsed<()> {
        let opcode = &self.opcodes.list[whole.opcode.0 as usize];
        let name =
            opcode.types.first().and_then(|ty| ELEMENT_MOVES.iter().find(|name| Type::parse(&name[4..]) == Some(*ty)));
        let (Some(&name), &[Operand::Vector(to), Operand::Vector(from)]) = (name, self.body.operands(whole.operands))
        else {
            return Err(self.cursor.error("`mov` of vectors has two of them"));
        };
        let (to, from) = (self.body.operands(to).to_vec(), self.body.operands(from).to_vec());
        // One after the other is all at once, unless an element is read that has been written by then.
        let is_late = |(at, element): (usize, &Operand)| {
            let Operand::Register(read) = element else { return false };
            to.iter().take(at).any(|written| matches!(written, Operand::Register(written) if written == read))
        };
        if to.len() != from.len() || from.iter().enumerate().any(is_late) {
            return Err(self
                .cursor
                .error("`mov` of vectors of different lengths, or of one to itself in another order"));
        }
        let opcode = self.opcodes.intern(name, self.cursor)?;
        for (to, from) in to.into_iter().zip(from) {
            let operands = Span { start: self.body.operands.len() as u32, length: 2 };
            self.body.operands.extend([to, from]);
            self.body.statements.push(Statement::Instruction(Instruction { opcode, operands, ..whole }));
        }
        Ok(())
    }
}

/// `mov` of one element, for each type that it may have.
const ELEMENT_MOVES: [&str; 11] = [
    "mov.b16", "mov.u16", "mov.s16", "mov.b32", "mov.u32", "mov.s32", "mov.f32", "mov.b64", "mov.u64", "mov.s64",
    "mov.f64",
];
