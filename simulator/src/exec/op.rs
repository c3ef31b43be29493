//! One decoded instruction, and how its semantics is compiled for the host's vector units.
use super::lanes::Lanes;

/// A register's place: byte offset from the frame's base in the warp's register file.
///
/// 8- and 16-bit registers are `[u16; 32]`, 32-bit ones `[u32; 32]`, 64-bit ones `[u64; 32]`, 128-bit ones
/// `[u128; 32]`, each aligned to 64 bytes. A predicate is one `u32` with a bit per lane. Constants have rows of their
/// own, filled when a frame is entered, so that an operand is always a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Row(pub u32);

/// The semantics of one op on the lanes of `Lanes::mask`. Lanes outside the mask keep their registers.
///
/// # Safety
/// The op's rows lie inside the frame that `lanes` points to, with the widths that the semantics was selected for, and
/// the host has the vector instructions that the version was compiled for: `lower` guarantees both.
pub type Exec = unsafe fn(&mut Lanes, &Op);

/// One decoded instruction. 64 bytes: a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Op {
    pub exec: Exec,
    /// The unguarded semantics where `exec` is the guard's wrapper.
    pub inner: Exec,
    pub dst: Row,
    pub a: Row,
    pub b: Row,
    pub c: Row,
    /// Address offset, shift count, look-up table: whatever constant the class wants.
    pub imm: i64,
    /// Guard predicate's row where `exec` is a guarded version.
    pub guard: Row,
    pub guard_negated: bool,
    /// Elements of a vector access.
    pub vector: u8,
    /// Bytes of one element of a memory access.
    pub bytes: u8,
    /// Elements of a vector load up to the last one that any instruction reads: those behind it are there because the
    /// compiler made one wide load of several narrow ones. 0: the whole access counts.
    pub used: u8,
    /// Further rows in [`Function::rows`](super::program::Function), for vectors, matrices and pairs: first index.
    pub more: u32,
    /// Index in [`Function::sites`](super::program::Function): line, inline cache, counters.
    pub site: u32,
    /// [`Selected::data`]: what `select` wants its semantics to know of the form.
    pub data: u32,
}

/// A semantics as a zero-sized type: one body, compiled once per vector level.
pub trait Semantics {
    /// Applies the op to all active lanes. Implementations are `#[inline(always)]`, so that each version is compiled
    /// with its own vector instructions.
    fn run(lanes: &mut Lanes, op: &Op);
}

/// Which vector instructions the host has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Base,
    Avx2,
    Avx512,
}

/// The same semantics compiled for each [`Level`].
#[derive(Clone, Copy)]
pub struct Versions(pub [Exec; 3]);

/// What a row's `select` answers.
#[derive(Clone, Copy)]
pub struct Selected {
    /// Without probes, and with: the same function where nothing is to be told.
    pub bare: Versions,
    pub probed: Versions,
    /// Goes to [`Op::data`]: the parts of the form that are not worth a function of their own.
    pub data: u32,
}
