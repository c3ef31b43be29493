//! Operands of the asynchronous proxy's instructions: one 64-bit row each, in the order of the text.
use crate::exec::arithmetic::convert;
use crate::exec::matrices::warpgroup::{LATE, NEGATE_A, NEGATE_B, TRANSPOSE_A, TRANSPOSE_B};
use crate::exec::op::Row;
use crate::lower::emission::{Draft, Emitter, Kind};
use crate::lower::refused::Reason;
use ptx::isa::{self, Space, Type};
use ptx::tree::{Opcode, Operand, Span};

impl<'a> Emitter<'a, '_> {
    /// Addresses, sizes, masks, coordinates and values: [`Operands::Bulk`](ptx::isa::Operands::Bulk).
    pub fn bulk(&mut self, opcode: &Opcode, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let mut draft = Draft::new(opcode.space);
        for operand in operands {
            self.wide(operand)?;
        }
        draft.vector = u8::try_from(self.more.len()).map_err(|_| Reason::Operands)?;
        Ok(draft)
    }

    /// A texture's or surface's handle with coordinates: [`Operands::Texture`](ptx::isa::Operands::Texture).
    pub fn texture(&mut self, opcode: &Opcode, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let [result, place, levels @ ..] = operands else { return Err(Reason::Operands) };
        let mut draft = Draft::new(opcode.space);
        let (values, resident) = self.without_resident(result);
        (draft.dst, draft.widths[0], draft.vector) = self.vector(&values, opcode.types.first().copied(), true)?;
        if let Some(resident) = resident {
            let kind = Some(Type::Pred);
            ((draft.c, draft.widths[3]), draft.imm) = (self.destination(&resident, kind)?, 1);
        }
        // A sampler apart from the texture.
        refuse_if!(matches!(place, Operand::Tile(span) if span.length > 2), Reason::NotModelled);
        self.wide(place)?;
        let wanted = opcode.modifiers.iter().map(|m| if *m == "grad" { 2 } else { usize::from(*m == "level") });
        if levels.len() != wanted.sum::<usize>() {
            // Offsets of texels, and values that depths are compared with.
            return Err(Reason::NotModelled);
        }
        levels.iter().try_for_each(|level| self.wide(level))?;
        Ok(draft)
    }

    /// Splits `{a, b, c, d}|p` into the values and the predicate that says whether the texels are resident.
    fn without_resident(&self, result: &Operand<'a>) -> (Operand<'a>, Option<Operand<'a>>) {
        match *result {
            Operand::Vector(span) if span.length == 5 => {
                let values = Operand::Vector(Span { length: 4, ..span });
                (values, self.body.operands(span).last().copied())
            }
            other => (other, None),
        }
    }

    /// `d, a, b, scale-d{, scale-a, scale-b{, {trans-a, }trans-b}}`, with `a` a descriptor or four registers.
    pub fn warpgroup(&mut self, opcode: &Opcode, operands: &[Operand<'a>]) -> Result<Draft, Reason> {
        let [d, a, b, keeps, rest @ ..] = operands else { return Err(Reason::Operands) };
        let (Some([_, n, _]), &[result, factor, _]) = (isa::matrix_size(&opcode.modifiers), &opcode.types[..]) else {
            return Err(Reason::NoSuchForm);
        };
        let mut draft = Draft::new(opcode.space);
        let (row, bits, count) = self.vector(d, Some(Type::B32), true)?;
        (draft.dst, draft.widths[0]) = (row, bits);
        if !matches!(d, Operand::Vector(_)) || u32::from(count) != n / 2 * result.bytes() / 4 {
            return Err(Reason::Operands);
        }
        draft.vector = match a {
            Operand::Vector(_) => self.vector(a, Some(Type::B32), false)?.2,
            _ => {
                let (row, _) = self.source(a, Some(Type::B64))?;
                self.more.push(row);
                1
            }
        };
        let (row, _) = self.source(b, Some(Type::B64))?;
        self.more.push(row);
        draft.c = match *keeps {
            Operand::Immediate(bits, _) => self.frame.constant(Kind::Pred, if bits != 0 { u32::MAX.into() } else { 0 }),
            _ => self.source(keeps, Some(Type::Pred))?.0,
        };
        draft.imm = immediates(factor, draft.vector > 1, rest)? | if self.late_products { LATE } else { 0 };
        match draft.vector {
            1 | 4 => Ok(draft),
            _ => Err(Reason::Operands),
        }
    }

    /// An operand's rows, at the end of "more".
    fn wide(&mut self, operand: &Operand<'a>) -> Result<(), Reason> {
        let body = self.body;
        match *operand {
            Operand::Tile(span) | Operand::Vector(span) => {
                body.operands(span).iter().try_for_each(|element| self.wide(element))
            }
            Operand::Address { .. } | Operand::Element { .. } => {
                let address = self.address(operand, Space::Generic)?;
                let (row, bits) = self.absolute(&address)?;
                self.widened(row, bits)
            }
            _ => {
                let (row, bits) = self.source(operand, Some(self.value_type(operand)))?;
                self.widened(row, bits)
            }
        }
    }

    /// The type of a value by its register.
    fn value_type(&self, operand: &Operand<'a>) -> Type {
        match *operand {
            Operand::Register(register) => match self.frame.register(register).1 {
                Kind::B16 => Type::B16,
                Kind::B32 => Type::B32,
                _ => Type::B64,
            },
            _ => Type::B64,
        }
    }

    fn widened(&mut self, row: Row, bits: u8) -> Result<(), Reason> {
        let from = match bits {
            64 => {
                self.more.push(row);
                return Ok(());
            }
            32 => Type::U32,
            16 => Type::U16,
            _ => return Err(Reason::Operands),
        };
        let mut draft = Draft::new(Space::Generic);
        (draft.dst, draft.a, draft.widths) = (self.frame.helper(Kind::B64), row, [64, bits, 0, 0]);
        let wide = draft.dst;
        self.helper_op(convert::cvt, draft, &[Type::U64, from], &[])?;
        self.more.push(wide);
        Ok(())
    }
}

/// The constants at the end of a product of four warps: factors of 1 or −1, which integers do not have, and for elements of
/// 16 bits whether a matrix is stored along its rows; A in registers is not.
fn immediates(factor: Type, registers: bool, operands: &[Operand]) -> Result<i64, Reason> {
    let names: &[i64] = match (factor.bytes(), factor.is_float(), registers) {
        (_, false, _) => &[],
        (2, true, false) => &[NEGATE_A, NEGATE_B, TRANSPOSE_A, TRANSPOSE_B],
        (2, true, true) => &[NEGATE_A, NEGATE_B, TRANSPOSE_B],
        _ => &[NEGATE_A, NEGATE_B],
    };
    refuse_if!(operands.len() != names.len(), Reason::Operands);
    operands.iter().zip(names).try_fold(0, |all, (operand, &name)| {
        let Operand::Immediate(value, _) = *operand else { return Err(Reason::Operands) };
        let is_factor = matches!(name, NEGATE_A | NEGATE_B);
        match (is_factor, value as i64) {
            (true, 1) | (false, 0) => Ok(all),
            (true, -1) | (false, 1) => Ok(all | name),
            _ => Err(Reason::Operands),
        }
    })
}
