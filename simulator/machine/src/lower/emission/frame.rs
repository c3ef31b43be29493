//! A function's frame: rows for registers, constants and helpers, and its local memory.
use crate::exec::op::Row;
use crate::lower::analyses::liveness::Live;
use crate::program::{Constant, Slot, Symbol};
use ptx::isa::Type;
use ptx::names::NameHasher;
use ptx::tree::{Body, Function, RegisterId, Space, Variable};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::BuildHasherDefault;

/// Lanes of a warp.
const WARP: u32 = 32;
/// Bytes that a frame may have: far beyond what any compiler makes of 255 hardware registers.
const LARGEST_FRAME: u64 = 1 << 28;
/// Bytes of local memory per thread, as on every device since compute capability 2.0.
pub const LARGEST_LOCAL: u64 = 512 << 10;

/// The kinds of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Pred,
    B16,
    B32,
    B64,
    B128,
}

impl Kind {
    /// The kind that holds a type.
    pub fn of(ty: Type) -> Kind {
        match ty.bytes() {
            0 => Kind::Pred,
            1 | 2 => Kind::B16,
            4 => Kind::B32,
            8 => Kind::B64,
            _ => Kind::B128,
        }
    }

    /// Bits of one lane's value.
    pub fn bits(self) -> u8 {
        match self {
            Kind::Pred => 1,
            Kind::B16 => 16,
            Kind::B32 => 32,
            Kind::B64 => 64,
            Kind::B128 => 128,
        }
    }

    fn row_bytes(self) -> u32 {
        match self {
            Kind::Pred => 4,
            kind => WARP * u32::from(kind.bits()) / 8,
        }
    }
}

/// Hands out rows. Rows of values are aligned to 64 bytes; predicates share cache lines, sixteen to one.
#[derive(Default)]
pub struct Rows {
    end: u64,
    predicate_end: u32,
}

impl Rows {
    /// A fresh row.
    pub fn take(&mut self, kind: Kind) -> Row {
        if kind == Kind::Pred {
            if self.predicate_end.is_multiple_of(64) {
                self.predicate_end = self.clamped();
                self.end += 64;
            }
            self.predicate_end += 4;
            return Row(self.predicate_end - 4);
        }
        let row = Row(self.clamped());
        self.end += u64::from(kind.row_bytes());
        row
    }

    fn clamped(&self) -> u32 {
        self.end.min(LARGEST_FRAME) as u32
    }

    /// Bytes of the frame so far; `None` where there are too many.
    pub fn bytes(&self) -> Option<u32> {
        (self.end <= LARGEST_FRAME).then_some(self.end as u32)
    }
}

/// The rows of one function.
pub struct Frame {
    pub rows: Rows,
    registers: Vec<Row>,
    kinds: Vec<Kind>,
    /// By kind, bits, and whether they are an offset in the frame's local memory.
    constants: HashMap<(Kind, u128, bool), Row, BuildHasherDefault<NameHasher>>,
    constant_list: Vec<Constant>,
    /// Rows for helpers within one instruction, and how many of each kind are in use.
    helpers: [Vec<Row>; 5],
    used: [usize; 5],
    sinks: [Option<Row>; 5],
    /// The carry flag, where an instruction uses it.
    carry: Option<Row>,
    /// The stack pointer, likewise.
    stack: Option<Row>,
}

impl Frame {
    /// A frame for the registers of a body: those that are never live at one place share rows.
    pub fn new(body: &Body, live: &[Live]) -> Frame {
        let mut rows = Rows::default();
        let kinds: Vec<Kind> = body.registers.iter().map(|register| Kind::of(register.ty)).collect();
        let mut registers = vec![Row(0); kinds.len()];
        // Rows in use by the last place that needs them, and free rows, of each kind.
        let mut used: [BinaryHeap<Reverse<(u32, Row)>>; 5] = Default::default();
        let mut free: [Vec<Row>; 5] = Default::default();
        for live in live {
            let kind = kinds[live.register.0 as usize];
            let (used, free) = (&mut used[kind as usize], &mut free[kind as usize]);
            // An instruction's result never shares a row with what it reads, so ops may write before they have read all.
            while let Some(&Reverse((to, row))) = used.peek()
                && to < live.from
            {
                used.pop();
                free.push(row);
            }
            let row = free.pop().unwrap_or_else(|| rows.take(kind));
            used.push(Reverse((live.to, row)));
            registers[live.register.0 as usize] = row;
        }
        Frame {
            rows,
            registers,
            kinds,
            constants: HashMap::default(),
            constant_list: Vec::new(),
            helpers: Default::default(),
            used: [0; 5],
            sinks: [None; 5],
            carry: None,
            stack: None,
        }
    }

    pub fn register(&self, register: RegisterId) -> (Row, Kind) {
        (self.registers[register.0 as usize], self.kinds[register.0 as usize])
    }

    /// The row that holds a constant.
    pub fn constant(&mut self, kind: Kind, bits: u64) -> Row {
        let bits = match kind {
            Kind::Pred => u128::from(if bits == 0 { 0 } else { u32::MAX }),
            Kind::B16 => u128::from(bits as u16),
            Kind::B32 => u128::from(bits as u32),
            _ => u128::from(bits),
        };
        self.filled(kind, bits, false)
    }

    /// The row that holds the address of an offset in this frame's local memory.
    pub fn local(&mut self, kind: Kind, offset: u32) -> Row {
        self.filled(kind, u128::from(offset), true)
    }

    fn filled(&mut self, kind: Kind, bits: u128, local: bool) -> Row {
        *self.constants.entry((kind, bits, local)).or_insert_with(|| {
            let row = self.rows.take(kind);
            let bytes = if kind == Kind::Pred { 0 } else { kind.bits() / 8 };
            self.constant_list.push(Constant { row, bytes, bits, local });
            row
        })
    }

    /// A row for the rest of this instruction.
    pub fn helper(&mut self, kind: Kind) -> Row {
        let (helpers, used) = (&mut self.helpers[kind as usize], &mut self.used[kind as usize]);
        if *used == helpers.len() {
            helpers.push(self.rows.take(kind));
        }
        *used += 1;
        helpers[*used - 1]
    }

    /// Frees the helpers of the last instruction.
    pub fn next_instruction(&mut self) {
        self.used = [0; 5];
    }

    /// The predicate row of the carry flag.
    pub fn carry(&mut self) -> Row {
        *self.carry.get_or_insert_with(|| self.rows.take(Kind::Pred))
    }

    /// The row of the stack pointer.
    pub fn stack(&mut self) -> Row {
        *self.stack.get_or_insert_with(|| self.rows.take(Kind::B64))
    }

    /// A row that nobody reads.
    pub fn sink(&mut self, kind: Kind) -> Row {
        *self.sinks[kind as usize].get_or_insert_with(|| self.rows.take(kind))
    }

    /// Frame bytes and constants, at the end.
    pub fn finish(self) -> Option<(u32, Vec<Constant>)> {
        Some((self.rows.bytes()?.max(64), self.constant_list))
    }
}

/// Where parameters and local variables lie.
#[derive(Default)]
pub struct Layout {
    pub parameters: Vec<Slot>,
    pub returns: Vec<Slot>,
    /// Bytes of an entry's parameter buffer.
    pub parameter_bytes: u32,
    /// Offset of each `.param` and `.local` variable of the body in the frame's local memory.
    pub variables: Vec<u32>,
    pub local_bytes: u32,
    pub symbols: Vec<Symbol>,
}

/// Lays out parameters and local memory; `None` where they are larger than any device allows.
///
/// An entry's parameters have a buffer of their own. Those of a device function begin its local frame, then come the
/// variables scope by scope: the scopes of two calls that follow each other share their bytes.
pub fn layout(function: &Function, body: &Body) -> Option<Layout> {
    let mut layout = Layout::default();
    let mut end = 0;
    layout.parameters = slots(&function.parameters, &mut end)?;
    if function.is_entry {
        layout.parameter_bytes = u32::try_from(end).ok()?;
        end = 0;
    }
    layout.returns = slots(&function.returns, &mut end)?;
    let mut ends = vec![end; body.scopes.len()];
    let mut last = 0;
    let mut most = end;
    for (scope, variable) in &body.variables {
        let scope = scope.0 as usize;
        // Scopes are numbered as they open, so an inner one begins where the outer ones are when it is first used.
        for inner in last + 1..=scope {
            ends[inner] = ends[body.scopes[inner].0 as usize];
        }
        last = last.max(scope);
        let offset = match variable.space {
            Space::Param | Space::Local => place(variable, &mut ends[scope])?,
            _ => 0,
        };
        most = most.max(ends[scope]);
        layout.variables.push(offset);
        if variable.space == Space::Local {
            layout.symbols.push(symbol(variable, offset));
        }
    }
    layout.local_bytes = u32::try_from(most.next_multiple_of(16)).ok()?;
    (u64::from(layout.local_bytes) <= LARGEST_LOCAL).then_some(layout)
}

/// A named range, for messages.
pub fn symbol(variable: &Variable, offset: u32) -> Symbol {
    let bytes = variable.bytes().unwrap_or(0) as u32;
    Symbol { name: variable.name.to_string(), offset, bytes, element: variable.element }
}

fn slots(variables: &[Variable], end: &mut u64) -> Option<Vec<Slot>> {
    let slot = |variable: &Variable| {
        let offset = place(variable, end)?;
        let bytes = u32::try_from(variable.bytes()?).ok()?;
        Some(Slot { name: variable.name.to_string(), offset, bytes, align: variable.align })
    };
    variables.iter().map(slot).collect()
}

/// Places a variable past an end, which moves.
pub fn place(variable: &Variable, end: &mut u64) -> Option<u32> {
    let offset = end.checked_next_multiple_of(u64::from(variable.align.max(1)))?;
    *end = offset.checked_add(variable.bytes()?)?;
    u32::try_from(*end).ok()?;
    Some(offset as u32)
}
