//! The tree of one PTX module: names of registers, body variables and labels are resolved, types are not checked.
//!
//! Everything borrows from the text and lies in a few arenas, so that a large module costs few allocations: the operands
//! of a function in [`Body::operands`], and each distinct opcode (`ld.global.f32`) once in [`Module::opcodes`].
use crate::isa::Type;
pub use crate::isa::{Opcode, Space};
use std::ops::Range;

/// The line of PTX and, where the compiler kept it, of CUDA C++.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// 1-based line of the PTX text.
    pub ptx_line: u32,
    /// Index of a `.file`, 0 where there is none.
    pub file: u32,
    /// 1-based line and column of the source, 0 where there is none.
    pub line: u32,
    pub column: u32,
    /// File and line of the outermost call site of an inlined instruction, else 0.
    pub inlined_file: u32,
    pub inlined_at: u32,
    /// Line of the innermost call site in that file, else 0.
    pub called_at: u32,
}

/// One PTX translation unit.
#[derive(Clone, Debug, Default)]
pub struct Module<'t> {
    /// `.version`, such as (8, 8).
    pub version: (u32, u32),
    /// `.target`, such as `sm_75`; the architecture's letter suffix stays in the text.
    pub target: &'t str,
    /// Bits of an address: always 64; 32 is refused by the parser.
    pub address_size: u32,
    /// Module-scope variables in the order of the text.
    pub variables: Vec<Variable<'t>>,
    /// Entries and device functions, declarations included (their `body` is `None`).
    pub functions: Vec<Function<'t>>,
    /// `.file` directives: index → path.
    pub files: Vec<(u32, &'t str)>,
    /// `.alias` directives: (alias, function).
    pub aliases: Vec<(&'t str, &'t str)>,
    /// The declarations of variables and functions as they stand in the text.
    pub items: Vec<Item<'t>>,
    /// The distinct opcodes, in the order of first use.
    pub opcodes: Vec<Opcode<'t>>,
}

/// A declaration of module scope: its text, and what it declares.
#[derive(Clone, Debug)]
pub struct Item<'t> {
    /// From its first directive on, with the blanks and comments after it.
    pub text: &'t str,
    pub linkage: Linkage,
    pub what: Declared,
}

/// The kind of declaration that an [`Item`] is.
#[derive(Clone, Debug)]
pub enum Declared {
    /// Indices of [`Module::variables`].
    Variables(Range<usize>),
    /// Index of [`Module::functions`].
    Function(usize),
}

/// The linkage of a name of module scope: who sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linkage {
    /// This module alone.
    #[default]
    Local,
    Visible,
    /// Defined by another module.
    Extern,
    /// As `Visible`, and gives way to another definition.
    Weak,
    /// A variable of which the largest definition counts.
    Common,
}

/// Index into [`Module::opcodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OpcodeId(pub u32);

/// A variable of module or function scope.
#[derive(Clone, Debug)]
pub struct Variable<'t> {
    pub space: Space,
    pub name: &'t str,
    pub element: Type,
    /// Elements of a vector type: 1, 2 or 4.
    pub vector: u32,
    /// Array dimensions; empty for a scalar; a first dimension of 0 is an unsized `extern` array.
    pub dimensions: Vec<u64>,
    /// Bytes, a power of two; the element's natural alignment where the text names none.
    pub align: u32,
    pub is_extern: bool,
    /// Flattened initialiser in element order; shorter than the variable means zeros after it.
    pub init: Vec<Init<'t>>,
}

impl Variable<'_> {
    /// Size in bytes; `None` where it does not fit 64 bits. An unsized array has 0.
    pub fn bytes(&self) -> Option<u64> {
        let one = u64::from(self.element.bytes()) * u64::from(self.vector);
        self.dimensions.iter().try_fold(one, |bytes, &n| bytes.checked_mul(n))
    }
}

/// One element of an initialiser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Init<'t> {
    /// The element's bits.
    Bits(u64),
    /// The address of a symbol plus an offset; `generic(sym)` sets the flag. `mask` keeps one byte of it: the text
    /// `0xFF00(sym)` stands for bits 8 … 15 in the lowest byte.
    Address { symbol: &'t str, offset: i64, generic: bool, mask: u64 },
}

/// An entry or a device function.
#[derive(Clone, Debug, Default)]
pub struct Function<'t> {
    pub name: &'t str,
    pub is_entry: bool,
    pub returns: Vec<Variable<'t>>,
    pub parameters: Vec<Variable<'t>>,
    /// `.maxntid` and `.reqntid`, as far as given.
    pub max_threads: Option<[u32; 3]>,
    pub required_threads: Option<[u32; 3]>,
    /// `.minnctapersm`, `.maxnreg`.
    pub min_blocks: Option<u32>,
    pub max_registers: Option<u32>,
    /// `.reqnctapercluster`, `.explicitcluster`, `.maxclusterrank`.
    pub required_cluster: Option<[u32; 3]>,
    pub explicit_cluster: bool,
    pub max_cluster: Option<u32>,
    pub body: Option<Body<'t>>,
    /// Where its name stands.
    pub at: Location,
}

/// The text between a function's braces. Inner scopes are flattened: a register, variable or label that shadows an
/// outer one has an index of its own.
#[derive(Clone, Debug, Default)]
pub struct Body<'t> {
    pub registers: Vec<Register<'t>>,
    /// `.shared`, `.local` and `.param` variables with the scope that declares them.
    pub variables: Vec<(ScopeId, Variable<'t>)>,
    /// The parent of each scope; scope 0 is the body's own and its own parent.
    pub scopes: Vec<ScopeId>,
    pub labels: Vec<&'t str>,
    pub statements: Vec<Statement>,
    /// Statements before which `.pragma "nounroll"` stands: the loop that begins there is to stay as it is.
    pub not_unrolled: Vec<usize>,
    /// Operands of all statements: an instruction's lie side by side, elements of vectors and lists elsewhere.
    pub operands: Vec<Operand<'t>>,
    /// `.branchtargets` and `.calltargets` tables by label.
    pub tables: Vec<(&'t str, Vec<Target<'t>>)>,
    /// `.callprototype` by label.
    pub prototypes: Vec<(&'t str, Prototype)>,
}

impl<'t> Body<'t> {
    /// The operands in a range of the arena.
    pub fn operands(&self, range: Span) -> &[Operand<'t>] {
        &self.operands[range.range()]
    }

    /// The instruction of a statement that is no label.
    pub fn instruction(&self, statement: usize) -> Option<&Instruction> {
        self.statements[statement].instruction()
    }

    /// All instructions in the order of the text.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.statements.iter().filter_map(Statement::instruction)
    }
}

/// A range of [`Body::operands`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: u32,
    pub length: u32,
}

impl Span {
    /// The span as a range of indices.
    pub fn range(self) -> Range<usize> {
        self.start as usize..(self.start + self.length) as usize
    }
}

/// Index into [`Body::scopes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ScopeId(pub u32);

/// An entry of a `.branchtargets` or `.calltargets` table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'t> {
    Label(LabelId),
    Function(&'t str),
}

/// A virtual register. `%r<28>` is stored as 28 registers.
#[derive(Clone, Copy, Debug)]
pub struct Register<'t> {
    pub name: &'t str,
    /// The number after the name for a parameterised declaration (`%r<28>`: name `%r`, numbers 0 … 27).
    pub number: Option<u32>,
    pub ty: Type,
}

/// The parameter sizes of an indirect call's prototype, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prototype {
    pub returns: Vec<u32>,
    pub parameters: Vec<u32>,
}

/// A label or an instruction, in the order of the text.
#[derive(Clone, Copy, Debug)]
pub enum Statement {
    Label(LabelId),
    Instruction(Instruction),
}

impl Statement {
    /// The instruction, if it is one.
    pub fn instruction(&self) -> Option<&Instruction> {
        if let Statement::Instruction(instruction) = self { Some(instruction) } else { None }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    pub opcode: OpcodeId,
    /// `@%p` or `@!%p`.
    pub guard: Option<Guard>,
    /// Operands in the order of the text.
    pub operands: Span,
    pub at: Location,
}

/// A guard predicate.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    pub register: RegisterId,
    pub negated: bool,
}

/// Index into [`Body::registers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegisterId(pub u32);

/// Index into [`Body::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VariableId(pub u32);

/// Index into [`Body::labels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LabelId(pub u32);

#[derive(Clone, Copy, Debug)]
pub enum Operand<'t> {
    Register(RegisterId),
    /// `%r1|%p1`: the second destination of `shfl`, `setp`, `match`. Either may be thrown away (`_|%p1`).
    Pair(Option<RegisterId>, Option<RegisterId>),
    /// `!%p1`
    Not(RegisterId),
    /// `_`: a destination that is thrown away.
    Sink,
    /// An integer constant, or the bits of a float constant (`0f…` 32 bits, `0d…` 64 bits; a decimal float has 64).
    Immediate(u64, Literal),
    /// A special register, with its component: `%tid.x`.
    Special(crate::isa::Special),
    /// A variable of the body, plus an offset.
    Variable(VariableId, i64),
    Label(LabelId),
    /// A parameter, module variable, function, table or prototype by name, plus an offset (`sym+4`).
    Symbol(&'t str, i64),
    /// `[base+offset]`
    Address {
        base: Base<'t>,
        offset: i64,
    },
    /// `array[2]`, `array[%r1]`, `array[%r1+2]`: the address of an element, or the element itself in a place for an address.
    /// The register is unsigned; both count elements.
    Element {
        array: Base<'t>,
        register: Option<RegisterId>,
        index: i64,
    },
    /// `{%r1, %r2}`, possibly with sinks and immediates.
    Vector(Span),
    /// `[base+offset, {%r1, %r2}]`: a tensor's map and the coordinates of a tile, as an address and a vector.
    Tile(Span),
    /// `(a, b)` of a call.
    List(Span),
}

/// How a constant was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    Integer,
    F32,
    F64,
}

/// The base of an address.
#[derive(Clone, Copy, Debug)]
pub enum Base<'t> {
    Register(RegisterId),
    Variable(VariableId),
    Symbol(&'t str),
    /// A bare number: `[16]`.
    Absolute,
}
