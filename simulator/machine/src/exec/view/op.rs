//! One decoded instruction, and how its semantics is compiled for the host's vector units.
use super::lanes::Lanes;
pub use crate::host::Level;
pub use crate::program::Row;

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
    /// The unguarded semantics where `exec` is the guard's wrapper; else the semantics for warps that go [together](crate::exec::fast_paths::together).
    pub inner: Exec,
    pub dst: Row,
    pub a: Row,
    pub b: Row,
    pub c: Row,
    /// Address offset, shift count, look-up table: whatever constant the class wants.
    pub imm: i64,
    /// Guard predicate's row where `exec` is a guarded version, and whether it is negated; `None`: there is no guard.
    pub guard: Row,
    pub guard_negated: Option<bool>,
    /// Elements of a vector access.
    pub vector: u8,
    /// Bytes of one element of a memory access.
    pub bytes: u8,
    /// Elements of a vector load up to the last one that any instruction reads: those after it are there because the
    /// compiler made one wide load of several narrow ones. 0: the whole access counts.
    pub used: u8,
    /// Further rows in [`Function::rows`](crate::program::Function), for vectors, matrices and pairs: first index.
    pub more: u32,
    /// Index in [`Function::sites`](crate::program::Function): line, inline cache, counters.
    pub site: u32,
    /// [`Selected::data`]: what `select` wants its semantics to know of the form.
    pub data: u32,
    /// How it is done where the warp has twins, see `twins`.
    pub dataflow: Dataflow,
    /// Bytes of a value of `dst`, 0 for a predicate; of an op that compares, those of `a`.
    pub width: u8,
    /// How many rows "more" has.
    pub more_count: u16,
}

/// The effect of an op besides computing registers from registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dataflow {
    /// Nothing: it moves bits, masks them or shifts them.
    Moves,
    /// Nothing: it moves `a` or `b`, as the predicate `c` says.
    Selects,
    /// Nothing.
    Computes,
    /// Nothing: it computes predicates by comparing `a` and `b`.
    Compares,
    /// It reads memory into registers.
    Loads,
    /// It computes from registers and from shared memory that descriptors name.
    Products,
    Stores,
    /// It changes memory as one step.
    Updates,
    /// Something else, or what it gives depends on more than registers and memory.
    Once,
}

/// A semantics as a zero-sized type: one body, compiled once per vector level.
pub trait Semantics {
    /// Applies the op to all active lanes. Implementations are `#[inline(always)]`, so that each version is compiled
    /// with its own vector instructions.
    fn run(lanes: &mut Lanes, op: &Op);
}

/// The same semantics compiled for each [`Level`].
#[derive(Clone, Copy)]
pub struct Versions(pub [Exec; 3]);

/// The answer of a row's `select`: the semantics of a form, or why there is none.
pub type Answer = Result<Selected, ptx::isa::Refusal>;

/// The semantics that a row's `select` chooses.
#[derive(Clone, Copy)]
pub struct Selected {
    /// Without probes, and with: the same function where nothing is to be told.
    pub bare: Versions,
    pub probed: Versions,
    /// Without probes, for warps that go [together](crate::exec::fast_paths::together), if they need no more than their frames for it; `None`: one by one.
    pub together: Option<Versions>,
    /// Likewise where somebody hears of it afterwards.
    pub recorded: Option<Versions>,
    /// Goes to [`Op::data`]: the parts of the form that are not worth a function of their own.
    pub data: u32,
}
