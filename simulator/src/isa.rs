//! The instruction set as a table: one row per PTX instruction.
//!
//! A row holds the name, what it is for, how its operands are laid out, and the function that chooses its semantics. To
//! add an instruction, add its row to the table and its function in the `exec` file of its class: nothing else knows the
//! list.
use crate::exec::op::Selected;
use std::collections::HashMap;
use std::sync::LazyLock;

mod table;
pub use table::INSTRUCTIONS;

/// A PTX fundamental type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Type {
    B1,
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    S4,
    U4,
    U16x2,
    S16x2,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    Tf32,
    F32,
    F32x2,
    F64,
    E4m3,
    E5m2,
    E4m3x2,
    E5m2x2,
    Pred,
}

impl Type {
    /// Size in bytes; a predicate has none in memory and answers 0.
    pub const fn bytes(self) -> u32 {
        use Type::*;
        match self {
            Pred => 0,
            B1 | S4 | U4 | B8 | U8 | S8 | E4m3 | E5m2 => 1,
            B16 | U16 | S16 | F16 | Bf16 | E4m3x2 | E5m2x2 => 2,
            B32 | U32 | S32 | U16x2 | S16x2 | F16x2 | Bf16x2 | Tf32 | F32 => 4,
            B64 | U64 | S64 | F64 | F32x2 => 8,
            B128 => 16,
        }
    }
    /// Whether the type is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self, Type::S4 | Type::S8 | Type::S16 | Type::S16x2 | Type::S32 | Type::S64)
    }
    /// Whether the type is a floating-point scalar or pair.
    pub const fn is_float(self) -> bool {
        use Type::*;
        matches!(self, F16 | F16x2 | Bf16 | Bf16x2 | Tf32 | F32 | F32x2 | F64 | E4m3 | E5m2 | E4m3x2 | E5m2x2)
    }
    /// The type that a suffix names: `f32` of `add.f32`.
    pub fn parse(name: &str) -> Option<Type> {
        use Type::*;
        Some(match name {
            "pred" => Pred,
            "b1" => B1,
            "b8" => B8,
            "b16" => B16,
            "b32" => B32,
            "b64" => B64,
            "b128" => B128,
            "u4" => U4,
            "u8" => U8,
            "u16" => U16,
            "u32" => U32,
            "u64" => U64,
            "s4" => S4,
            "s8" => S8,
            "s16" => S16,
            "s32" => S32,
            "s64" => S64,
            "u16x2" => U16x2,
            "s16x2" => S16x2,
            "f16" => F16,
            "f16x2" => F16x2,
            "bf16" => Bf16,
            "bf16x2" => Bf16x2,
            "tf32" => Tf32,
            "f32" => F32,
            "f32x2" => F32x2,
            "f64" => F64,
            "e4m3" => E4m3,
            "e5m2" => E5m2,
            "e4m3x2" => E4m3x2,
            "e5m2x2" => E5m2x2,
            _ => return None,
        })
    }
}

/// What an instruction is for; counters report by class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Class {
    Integer,
    Logic,
    Float,
    Half,
    Double,
    Special,
    Convert,
    Compare,
    Move,
    Memory,
    Atomic,
    Async,
    Control,
    Barrier,
    Warp,
    Matrix,
}

/// How the operands of the text map to an [`Op`](crate::exec::op::Op). Any source may be a register or a constant: both
/// are rows. A destination that is thrown away (`_`) is a row that nobody reads. "More" are the rows from
/// [`Op::more`](crate::exec::op::Op) on, in [`Function::rows`](crate::exec::program::Function).
///
/// Common to all shapes: the offset of an address is in `imm`; a negated predicate (`!%p`) and a special register are
/// moved to a row of their own by an op before; cache policies behind `.L2::cache_hint` are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// No operand.
    Nothing,
    /// `a`: sources only. A constant `a` is also in `imm`.
    Source,
    /// `d` · `d, a` · `d, a, b` · `d, a, b, c` · `d, a, b, c, e`. A fourth source is the first of "more"; when it is a
    /// constant (the table of `lop3`) it is also in `imm`. Where the manual lets sources out, their row is one that
    /// nobody writes and their width in [`Form::widths`] is 0. `d|q`: `q` is the last of "more". An instruction that reads
    /// or writes the carry flag has the flag's predicate row as its first of "more".
    ///
    /// `mov` with a vector: "more" has its elements and [`Form::vector`] counts them. `d` is wider than `a`: packs the
    /// elements ("more") into `d`; `d` is narrower: unpacks `a` into the elements.
    Value,
    /// `p, a, b` · `p|q, a, b` · `p|q, a, b, c`: predicates out. `q` is the first of "more"; without `c` its width is 0.
    Set,
    /// `d, [a]`: with `d` a vector, "more" has its elements, the first of them is also `dst`.
    Load,
    /// `[a], b`: with `b` a vector, "more" has its elements, the first of them is also `b`.
    Store,
    /// `d, [a]` · `d, [a], b` · `d, [a], b, c`. Vectors: "more" has the elements of `d`, then of `b`.
    Update,
    /// `[a]` · `[a], b`: no result. A vector as in `Store`.
    Reduce,
    /// `cp.async`: `[dst], [src], size, source size`: `a` and `b` are the addresses (`imm` belongs to `a`, `b` is
    /// complete), `c` is the row of the bytes to read (u32), `bytes` the size.
    Copy,
    /// A warp-synchronous op, [`End::Gather`](crate::exec::program::End): `d|p, a, b, c, members`: "more" is `p`, members.
    Shuffle,
    /// `d, a, members` (`vote`, `redux`): `b` is the member mask.
    Vote,
    /// `d|p, a, members` (`match`): `b` is the member mask, `p` the first of "more".
    Match,
    /// `d|p, members` (`elect`) and `members` (`bar.warp.sync`): `a` is the member mask, `p` the first of "more".
    Members,
    /// `mma`: "more" has the elements of `d`, `a`, `b`, `c`, and what follows, in this order.
    Multiply,
    /// `ldmatrix {d…}, [a]`, `wmma.load {d…}, [a], c`: "more" has the elements of `d`.
    MatrixLoad,
    /// `stmatrix [a], {b…}`, `wmma.store [a], {b…}, c`: "more" has the elements of `b`.
    MatrixStore,
    /// Ends of blocks, by name in `lower`.
    Branch,
    Switch,
    Call,
    Return,
    Exit,
    Trap,
    Meet,
    /// Refused, whatever its operands.
    Unmodelled,
}

/// Bits that an operand has, where it is a constant and cannot tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// The first or second type of the instruction (the last where there are fewer).
    T,
    U,
    /// Twice the first type under `.wide`, else the first type.
    Wide,
    B16,
    B32,
    B64,
    Pred,
    /// Like the width behind it, and may be left out.
    Maybe(&'static Width),
}

/// A special register with its component resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    LaneId,
    WarpId,
    NwarpId,
    SmId,
    NsmId,
    GridId,
    IsExplicitCluster,
    ClusterId(u8),
    NclusterId(u8),
    ClusterCtaid(u8),
    ClusterNctaid(u8),
    ClusterCtarank,
    ClusterNctarank,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    Clock,
    ClockHi,
    Clock64,
    GlobalTimer,
    GlobalTimerLo,
    GlobalTimerHi,
    EnvReg(u8),
    DynamicSmemSize,
    TotalSmemSize,
    AggrSmemSize,
    ReservedSmemOffset(u8),
    CurrentGraphExec,
    Pm(u8),
}

/// Index into [`INSTRUCTIONS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowId(pub u16);

/// One row of the table.
pub struct Row {
    /// The name up to the first dot, or up to where meanings part: `cp.async.ca` is in row `cp.async`.
    pub name: &'static str,
    pub class: Class,
    pub shape: Shape,
    /// Widths of the operands in the order of the text, without the address, for `Source`, `Value`, `Set`, `Update` and
    /// `Reduce`.
    pub widths: &'static [Width],
    /// Chooses the semantics for one form of the instruction, or says that this form is not modelled.
    pub select: Select,
    /// One sentence, as the PTX manual would have it.
    pub doc: &'static str,
}

/// Chooses the semantics of a form.
pub type Select = fn(&Form) -> Result<Selected, Refusal>;

/// What `select` may look at: the form of one instruction, without its operands' values.
pub struct Form<'t> {
    pub name: &'static str,
    pub space: crate::ptx::tree::Space,
    pub modifiers: &'t [&'t str],
    pub types: &'t [Type],
    /// Bits of the registers that stand as d, a, b, c (a constant has the width of its place; 1 is a predicate; 0 is
    /// absent). Loads, stores and conversions may have registers wider than their type; 8-bit registers have 16 bits.
    pub widths: [u8; 4],
    /// Elements of a vector load, store or `mov`: 1, 2, 4 or 8.
    pub vector: u8,
    /// The special register that a `mov` reads.
    pub special: Option<Special>,
    /// Whether it accesses the parameters of a call (space `Local`): traffic that hardware keeps in registers.
    pub call_parameter: bool,
}

impl Form<'_> {
    /// Whether a modifier is present.
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }
    /// The type at an index, or the last one.
    pub fn ty(&self, index: usize) -> Option<Type> {
        self.types.get(index).or(self.types.last()).copied()
    }
}

/// Why a form is not modelled; the wording is `diagnostics`' business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The PTX manual has it, this simulator does not.
    NotModelled,
    /// The PTX manual has no such form.
    NoSuchForm,
}

/// The `select` of a row that nothing executes.
pub fn unmodelled(_: &Form) -> Result<Selected, Refusal> {
    Err(Refusal::NotModelled)
}

/// The row of a table index.
pub fn row(id: RowId) -> &'static Row {
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

/// The class of one form of a row: arithmetic rows serve integers and floats alike.
pub fn class(row: &Row, types: &[Type]) -> Class {
    match (row.class, types.first()) {
        (Class::Integer | Class::Float, Some(ty)) => match ty {
            Type::F64 => Class::Double,
            Type::F32 | Type::F32x2 | Type::Tf32 => Class::Float,
            Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2 => Class::Half,
            _ => Class::Integer,
        },
        (class, _) => class,
    }
}

/// Whether a form reads or writes the carry flag.
pub fn uses_carry(row: &Row, modifiers: &[&str]) -> bool {
    matches!(row.name, "addc" | "subc" | "madc") || modifiers.contains(&"cc")
}

/// Floating-point operations per lane: a fused multiply-add has 2, a pair twice as many as its elements.
pub fn flops(row: &Row, types: &[Type], modifiers: &[&str]) -> u16 {
    if row.shape == Shape::Multiply {
        return matrix_flops(types, modifiers);
    }
    let each = match row.name {
        "fma" | "mad" => 2,
        "add" | "sub" | "mul" | "div" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" => 1,
        _ => return 0,
    };
    match types.first() {
        Some(Type::F16x2 | Type::Bf16x2 | Type::F32x2) => 2 * each,
        Some(ty) if ty.is_float() => each,
        _ => 0,
    }
}

/// A product of m×k by k×n elements is 2·m·n·k operations of a warp of 32 lanes; integer matrices have none.
fn matrix_flops(types: &[Type], modifiers: &[&str]) -> u16 {
    match matrix_shape(modifiers) {
        Some([m, n, k]) if types.first().is_some_and(|ty| ty.is_float()) => {
            (m * n * k / 16).min(u16::MAX.into()) as u16
        }
        _ => 0,
    }
}

/// m, n and k of a modifier such as `m16n8k16`.
pub fn matrix_shape(modifiers: &[&str]) -> Option<[u32; 3]> {
    let size = |text: &str| text.parse().ok().filter(|&size: &u32| size <= 1024);
    modifiers.iter().find_map(|modifier| {
        let (m, rest) = modifier.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some([size(m)?, size(n)?, size(k)?])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_unique() {
        for pair in INSTRUCTIONS.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} stands before {}", pair[0].name, pair[1].name);
        }
    }

    #[test]
    fn every_row_says_what_it_is_for_and_what_its_operands_are() {
        for row in INSTRUCTIONS {
            assert!(row.doc.ends_with('.') && row.doc.len() > 10, "{}: {}", row.name, row.doc);
            let needs_widths = matches!(row.shape, Shape::Value | Shape::Set | Shape::Source | Shape::Update);
            assert!(row.shape == Shape::Reduce || needs_widths != row.widths.is_empty(), "{}", row.name);
            let optional: Vec<bool> = row.widths.iter().map(|width| matches!(width, Width::Maybe(_))).collect();
            assert!(optional.is_sorted(), "{}: what may be left out stands last", row.name);
        }
    }

    #[test]
    fn classes_follow_types() {
        let add = row(find("add.f64").unwrap().0);
        assert_eq!(class(add, &[Type::F64]), Class::Double);
        assert_eq!(class(add, &[Type::F16x2]), Class::Half);
        assert_eq!(class(add, &[Type::S32]), Class::Integer);
    }

    #[test]
    fn operations_are_counted_per_lane() {
        let fma = row(find("fma").unwrap().0);
        assert_eq!(flops(fma, &[Type::F32], &[]), 2);
        assert_eq!(flops(fma, &[Type::F16x2], &[]), 4);
        let mma = row(find("mma").unwrap().0);
        assert_eq!(flops(mma, &[Type::F32], &["sync", "m16n8k16"]), 128);
        let wmma = row(find("wmma.mma").unwrap().0);
        assert_eq!(flops(wmma, &[Type::F32, Type::F32], &["sync", "m16n16k16"]), 256);
        assert_eq!(flops(row(find("wmma.load").unwrap().0), &[Type::F16], &["a", "m16n16k16"]), 0);
        assert_eq!(flops(mma, &[Type::S32], &["sync", "m16n8k32"]), 0);
        assert_eq!(flops(row(find("add").unwrap().0), &[Type::U32], &[]), 0);
    }
}
