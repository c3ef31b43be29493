//! The units of a multiprocessor.

/// The units, and the list of them.
macro_rules! units {
    ($($(#[$doc:meta])* $unit:ident,)*) => {
        /// Where a machine instruction is carried out.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Unit {
            $($(#[$doc])* $unit),*
        }

        /// All of them, in the order of their numbers.
        pub const EVERY_UNIT: [Unit; UNITS] = [$(Unit::$unit),*];
    };
}

units! {
    /// Nowhere: renamed, folded into another, or kept in a bank of constants.
    Nothing,
    /// fp32 arithmetic, in either half of the unit.
    Fp32,
    /// Integer multiply-adds, in one half of the fp32 unit.
    Multiply,
    /// Products of 32 bits into 64, which take twice as long.
    Wide,
    /// Integers, logic, comparisons, selections.
    Integer,
    /// 32-bit additions: in the integer unit, or as multiply-adds.
    Add,
    /// Reciprocals, roots, exponentials, conversions that are as slow.
    Special,
    /// A test of an operand, in the same place, that others need not wait for.
    Check,
    Fp64,
    Fp16,
    Tensor,
    /// Loads, stores, atomics.
    Memory,
    /// Constants at a known address, into registers of the warp.
    Constant,
    /// Parameters, special registers and addresses into registers, where a kernel begins.
    Setup,
    /// Copies to shared memory that go on by themselves; what closes a group of them or of products of four warps, and what waits for groups.
    Copy,
    Commit,
    Await,
    /// Between lanes, through the load/store units.
    Shuffle,
    /// A branch around what is seldom needed, such as the slow path of a division.
    Detour,
    /// Votes and the like, and what a branch needs.
    Control,
    Barrier,
}

/// How many there are.
pub const UNITS: usize = Unit::Barrier as usize + 1;

/// A pipe: it hands its results to its own next instruction a clock sooner than to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipe {
    /// Floats and multiplications.
    Multiply,
    /// Integers and logic.
    Logic,
    /// The same, for a comparison's result: guards and branches have it later than selections.
    Comparison,
    Other,
}

impl Unit {
    /// The pipe that an instruction goes through.
    pub const fn pipe(self) -> Pipe {
        match self {
            Unit::Fp32 | Unit::Multiply | Unit::Wide => Pipe::Multiply,
            Unit::Integer => Pipe::Logic,
            _ => Pipe::Other,
        }
    }
}
