//! Registers, constants, vectors and addresses to rows, and whether they fit the places that they stand in.
use super::symbols::SymbolAddress;
use crate::exec::arithmetic::{integer, logic, moves};
use crate::exec::op::Row;
use crate::exec::semantics::Select;
use crate::lower::emission::{Draft, Emitter, Fit, Kind};
use crate::lower::refused::{Reason, available};
use ptx::constant_bits;
use ptx::isa::{Form, Space, Special, Type, Width};
use ptx::tree::{Base, Opcode, Operand, RegisterId};

pub struct Address {
    pub row: Row,
    pub bits: u8,
    pub offset: i64,
    pub space: Space,
    pub call_parameter: bool,
}

/// A source: its row and bits.
pub type Source = (Row, u8);

impl<'a> Emitter<'a, '_> {
    /// A register or a vector of registers: the first row, the bits of each, and how many. A vector's rows go to "more".
    pub fn vector(&mut self, operand: &Operand<'a>, ty: Option<Type>, written: bool) -> Result<(Row, u8, u8), Reason> {
        let of_vector = matches!(operand, Operand::Vector(_));
        let ty = if of_vector { ty.map(of_element) } else { ty };
        let one = |emitter: &mut Self, operand: &Operand<'a>| match written {
            true => emitter.destination(operand, ty),
            false => emitter.source(operand, ty),
        };
        let Operand::Vector(span) = *operand else {
            let (row, bits) = one(self, operand)?;
            return Ok((row, bits, 1));
        };
        let (body, start) = (self.body, self.more.len());
        let mut first = None;
        for element in body.operands(span) {
            if matches!(element, Operand::Sink) {
                let row = self.frame.sink(Kind::B128);
                self.more.push(row);
                continue;
            }
            let (row, bits) = one(self, element)?;
            self.more.push(row);
            // All elements are read or written alike, so they must have one width.
            match first {
                None => first = Some((row, bits)),
                Some((_, other)) if other != bits => return Err(Reason::Operands),
                Some(_) => {}
            }
        }
        let bits = match first {
            Some((_, bits)) => bits,
            None => Self::kind(ty)?.bits(),
        };
        let row = *self.more.get(start).ok_or(Reason::Operands)?;
        Ok((row, bits, span.length as u8))
    }

    /// The row that a result goes to.
    pub fn destination(&mut self, operand: &Operand<'a>, ty: Option<Type>) -> Result<Source, Reason> {
        match *operand {
            Operand::Register(register) => self.register(register, ty),
            Operand::Sink => {
                let kind = Self::kind(ty)?;
                Ok((self.frame.sink(kind), kind.bits()))
            }
            _ => Err(Reason::Operands),
        }
    }

    /// A register in a place of a type. Semantics read and write rows of the place's width, so another kind of row would
    /// be taken for something else.
    pub fn register(&self, register: RegisterId, ty: Option<Type>) -> Result<Source, Reason> {
        let (row, kind) = self.frame.register(register);
        let fits = match (self.fit, ty.map(Kind::of)) {
            (Fit::Any, _) | (_, None) => true,
            (Fit::Exact, Some(place)) => kind == place,
            (Fit::Wider, Some(place)) => (kind == Kind::Pred) == (place == Kind::Pred) && kind >= place,
        };
        let declared = self.body.registers[register.0 as usize].ty;
        if fits && (self.fit == Fit::Any || ty.is_none_or(|ty| takes(ty, declared, kind == Kind::of(ty)))) {
            Ok((row, kind.bits()))
        } else {
            Err(Reason::Operands)
        }
    }

    /// One half of `d|p`.
    pub fn half(&mut self, register: Option<RegisterId>, ty: Option<Type>) -> Result<Source, Reason> {
        self.destination(&register.map_or(Operand::Sink, Operand::Register), ty)
    }

    /// `d` or `d|p`: sets `d`, answers the row of `p`.
    pub fn destination_pair(
        &mut self,
        draft: &mut Draft,
        operand: &Operand<'a>,
        ty: Option<Type>,
    ) -> Result<Row, Reason> {
        match *operand {
            Operand::Pair(d, p) => {
                (draft.dst, draft.widths[0]) = self.half(d, ty)?;
                Ok(self.half(p, Some(Type::Pred))?.0)
            }
            _ => {
                (draft.dst, draft.widths[0]) = self.destination(operand, ty)?;
                Ok(self.frame.sink(Kind::Pred))
            }
        }
    }

    /// The row that a source is read from. `ty` is what a constant is there.
    pub fn source(&mut self, operand: &Operand<'a>, ty: Option<Type>) -> Result<Source, Reason> {
        match *operand {
            Operand::Register(register) => self.register(register, ty),
            Operand::Immediate(bits, literal) => {
                let ty = ty.ok_or(Reason::Operands)?;
                let bits = constant_bits(bits, literal, ty).ok_or(Reason::Operands)?;
                let kind = Kind::of(ty);
                Ok((self.frame.constant(kind, bits), kind.bits()))
            }
            Operand::Special(special) => self.special_source(special),
            Operand::Not(register) => {
                let (a, kind) = self.frame.register(register);
                refuse_if!(kind != Kind::Pred, Reason::Operands);
                let row = self.frame.helper(Kind::Pred);
                let mut draft = Draft::new(Space::Generic);
                (draft.dst, draft.a, draft.widths) = (row, a, [1, 1, 0, 0]);
                self.helper_op(logic::not, draft, &[Type::Pred], &[])?;
                Ok((row, 1))
            }
            Operand::Variable(variable, offset) => {
                let kind = address_kind(ty)?;
                let place = self.variable(variable, offset)?;
                Ok((self.place_row(&place, kind), kind.bits()))
            }
            Operand::Symbol(name, offset) => {
                let kind = address_kind(ty)?;
                let place = self.symbol(name, offset)?;
                Ok((self.place_row(&place, kind), kind.bits()))
            }
            Operand::Element { array, register, index } => {
                let kind = address_kind(ty)?;
                let (place, size) = self.element_of(array, index)?;
                let base = self.place_row(&place, kind);
                let row = match register {
                    Some(register) => self.indexed(base, kind, register, size)?,
                    None => base,
                };
                Ok((row, kind.bits()))
            }
            _ => Err(Reason::Operands),
        }
    }

    /// The place of an array's element, and the bytes of one.
    fn element_of(&self, array: Base<'a>, index: i64) -> Result<(SymbolAddress, u32), Reason> {
        let variable = match array {
            Base::Variable(id) => &self.body.variables[id.0 as usize].1,
            Base::Symbol(name) => self.cx.variable(name).ok_or(Reason::Operands)?,
            Base::Register(_) | Base::Absolute => return Err(Reason::Operands),
        };
        refuse_if!(variable.dimensions.is_empty(), Reason::Operands);
        // A further dimension is not looked at, as in ptxas: the index counts elements of the array's type.
        let size = variable.element.bytes() * variable.vector;
        let offset = index.wrapping_mul(size.into());
        let place = match array {
            Base::Variable(id) => self.variable(id, offset)?,
            _ => self.symbol(variable.name, offset)?,
        };
        Ok((place, size))
    }

    /// The row of `base + register · size`, with an unsigned register.
    fn indexed(&mut self, base: Row, kind: Kind, register: RegisterId, size: u32) -> Result<Row, Reason> {
        let (index, index_kind) = self.frame.register(register);
        let row = self.frame.helper(kind);
        let mut draft = Draft::new(Space::Generic);
        (draft.dst, draft.a, draft.c) = (row, index, base);
        draft.b = self.frame.constant(index_kind, size.into());
        let (ty, half) = match (index_kind, kind) {
            (Kind::B32, Kind::B64) => (Type::U32, "wide"),
            (Kind::B32, Kind::B32) => (Type::U32, "lo"),
            (Kind::B64, Kind::B64) => (Type::U64, "lo"),
            _ => return Err(Reason::Operands),
        };
        draft.widths = [kind.bits(), index_kind.bits(), index_kind.bits(), kind.bits()];
        self.helper_op(integer::mad, draft, &[ty], &[half])?;
        Ok(row)
    }

    /// A special register outside of `mov`: moved to a helper.
    fn special_source(&mut self, special: Special) -> Result<Source, Reason> {
        available(self.cx.module, special.since())?;
        let (kind, ty) = match special.bits() {
            64 => (Kind::B64, Type::U64),
            1 => (Kind::Pred, Type::Pred),
            _ => (Kind::B32, Type::U32),
        };
        let mut draft = Draft::new(Space::Generic);
        draft.dst = self.frame.helper(kind);
        draft.widths = [kind.bits(), kind.bits(), 0, 0];
        draft.special = Some(special);
        let row = draft.dst;
        self.helper_op(moves::mov, draft, &[ty], &[])?;
        Ok((row, kind.bits()))
    }

    pub fn helper_op(
        &mut self,
        select: Select,
        draft: Draft,
        types: &[Type],
        modifiers: &[&str],
    ) -> Result<(), Reason> {
        let form = Form {
            space: draft.space,
            modifiers,
            types,
            widths: draft.widths,
            vector: 1,
            special: draft.special,
            call_parameter: false,
        };
        self.helper(select, draft, &form)
    }

    pub fn address_into(&mut self, draft: &mut Draft, operand: &Operand<'a>) -> Result<(), Reason> {
        let address = self.address(operand, draft.space)?;
        (draft.a, draft.widths[1], draft.imm) = (address.row, address.bits, address.offset);
        (draft.space, draft.call_parameter) = (address.space, address.call_parameter);
        if address.call_parameter {
            self.mark_call_parameter();
        }
        Ok(())
    }

    /// `[base+offset]` in a space that the instruction names; an instruction that names none takes the variable's own.
    pub fn address(&mut self, operand: &Operand<'a>, space: Space) -> Result<Address, Reason> {
        if let Operand::Element { array, register, index } = *operand {
            return self.element_address(array, register, index, space);
        }
        let Operand::Address { base, offset } = *operand else { return Err(Reason::Operands) };
        let place = match base {
            Base::Register(register) => {
                let (row, kind) = self.frame.register(register);
                // A device function's parameters are in its local memory.
                let call_parameter = space == Space::Param && !self.function.is_entry;
                let space = if call_parameter { Space::Local } else { space };
                return match kind {
                    Kind::B32 | Kind::B64 => Ok(Address { row, bits: kind.bits(), offset, space, call_parameter }),
                    _ => Err(Reason::Operands),
                };
            }
            Base::Absolute => SymbolAddress { space, offset, local: false, call_parameter: false },
            Base::Variable(variable) => self.variable(variable, offset)?,
            Base::Symbol(name) => self.symbol(name, offset)?,
        };
        let row = match place.local {
            true => self.frame.local(Kind::B64, 0),
            false => self.frame.constant(Kind::B64, 0),
        };
        let space = match space {
            Space::Generic | Space::Param => place.space,
            named => named,
        };
        Ok(Address { row, bits: 64, offset: place.offset, space, call_parameter: place.call_parameter })
    }

    /// As [`address`](Self::address), of `array[index]`.
    fn element_address(
        &mut self,
        array: Base<'a>,
        register: Option<RegisterId>,
        index: i64,
        space: Space,
    ) -> Result<Address, Reason> {
        let (place, size) = self.element_of(array, index)?;
        let mut row = self.place_row(&SymbolAddress { offset: 0, ..place }, Kind::B64);
        if let Some(register) = register {
            row = self.indexed(row, Kind::B64, register, size)?;
        }
        let space = if space == Space::Generic { place.space } else { space };
        Ok(Address { row, bits: 64, offset: place.offset, space, call_parameter: place.call_parameter })
    }

    /// The row of a whole address: base and offset added.
    pub fn absolute(&mut self, address: &Address) -> Result<Source, Reason> {
        if address.offset == 0 {
            return Ok((address.row, address.bits));
        }
        let (kind, ty) = if address.bits == 32 { (Kind::B32, Type::U32) } else { (Kind::B64, Type::U64) };
        let mut draft = Draft::new(Space::Generic);
        (draft.dst, draft.a) = (self.frame.helper(kind), address.row);
        draft.b = self.frame.constant(kind, address.offset as u64);
        draft.widths = [kind.bits(), kind.bits(), kind.bits(), 0];
        let row = draft.dst;
        self.helper_op(integer::add, draft, &[ty], &[])?;
        Ok((row, kind.bits()))
    }

    fn place_row(&mut self, place: &SymbolAddress, kind: Kind) -> Row {
        match place.local {
            true => self.frame.local(kind, place.offset as u32),
            false => self.frame.constant(kind, place.offset as u64),
        }
    }

    /// `.param` means local memory in a device function.
    pub fn own_space(&self, opcode: &Opcode) -> Space {
        match opcode.space {
            Space::Param if !self.function.is_entry => Space::Local,
            space => space,
        }
    }
}

/// Addresses are values of 32 or 64 bits.
fn address_kind(ty: Option<Type>) -> Result<Kind, Reason> {
    match ty.map(Kind::of) {
        Some(kind @ (Kind::B32 | Kind::B64)) => Ok(kind),
        _ => Err(Reason::Operands),
    }
}

/// Returns whether an assembler takes a register of a type in a place of another, if it is wide enough: integers go with integers, floats with
/// their own type, all with bits.
fn takes(place: Type, declared: Type, exactly: bool) -> bool {
    let is_scalar = |ty| matches!(ty, Type::F16 | Type::F32 | Type::F64);
    match (place, declared) {
        (_, Type::B8) => place.bytes() <= 1,
        (Type::U16x2 | Type::S16x2, _) => declared.is_bits(),
        (_, Type::F16x2) => place == declared || place.bytes() <= 4 && !place.is_float(),
        // Floats that have no registers of their own are bits, as many as they have.
        (_, _) if place.is_float() && !is_scalar(place) && place != Type::F16x2 => declared.is_bits() && exactly,
        (_, _) if place.is_float() => declared.is_bits() || declared == place,
        (_, _) => !is_scalar(declared) || place.is_bits(),
    }
}

/// The type that an element of a vector is held to: floats go with integers there.
fn of_element(ty: Type) -> Type {
    match ty {
        Type::F16 => Type::B16,
        Type::F32 => Type::B32,
        Type::F64 => Type::B64,
        other => other,
    }
}

/// The type that an operand's place has in an opcode.
pub fn place(width: Width, opcode: &Opcode) -> Option<Type> {
    let first = opcode.types.first().copied();
    match width {
        Width::T => first,
        Width::U => opcode.types.get(1).copied().or(first),
        Width::Wide if opcode.modifiers.contains(&"wide") => match first? {
            Type::U16 => Some(Type::U32),
            Type::S16 => Some(Type::S32),
            Type::U32 => Some(Type::U64),
            Type::S32 => Some(Type::S64),
            _ => None,
        },
        Width::Wide => first,
        Width::B16 => Some(Type::B16),
        Width::B32 => Some(Type::B32),
        Width::U32 => Some(Type::U32),
        Width::B64 => Some(Type::B64),
        Width::Pred => Some(Type::Pred),
        Width::Maybe(width) => place(*width, opcode),
    }
}
