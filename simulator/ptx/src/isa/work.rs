//! How a machine carries an instruction out: a column of the table, from which follow the units that it occupies, what it is
//! joined with and what it does to memory.

/// The work of an instruction for a machine: instructions of one kind of work are carried out alike. `machine::units` has the units of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Moves a value: registers are renamed.
    Move,
    /// Costs nothing where it stands: an address of another space, an order of accesses that others carry out.
    Renaming,
    /// `ld`.
    Load,
    /// `ldu`.
    LoadUniform,
    /// `st`.
    Store,
    /// Reads, changes and writes a place in memory as one step.
    Update,
    /// Goes through the load/store units otherwise.
    Memory,
    /// Copies from global to shared memory without waiting.
    Copy,
    /// Closes a group of such copies.
    CloseGroup,
    /// Waits for all of their groups but the latest few.
    AwaitGroups,
    /// Waits for all of them.
    AwaitAll,
    /// Arrives at a barrier as soon as the thread's copies so far are there.
    ArriveWithCopies,
    /// Asks for a barrier's phase, in a loop until it has ended.
    Poll,
    /// Meets other threads.
    Barrier,
    /// Leads elsewhere, or tells the machine something.
    Control,
    /// Copies between lanes.
    Shuffle,
    /// Combines a predicate over lanes.
    Vote,
    /// Finds lanes: those with the same value, or one of them.
    ChooseLanes,
    /// Combines a value over lanes.
    AddLanes,
    /// A quotient or a remainder.
    Divide,
    SquareRoot,
    Reciprocal,
    /// A power, a logarithm, a reciprocal root: scaled where numbers are denormal.
    Approximate,
    /// A sine or a cosine: its argument is brought into a period.
    Sine,
    Tangent,
    /// Counts, finds or reverses bits.
    CountBits,
    Convert,
    Multiply,
    MultiplyAdd,
    /// A product of few bits, or a sum of such products.
    SmallProduct,
    Select,
    /// Compares and makes a value of it.
    Set,
    /// Compares and makes a predicate of it.
    Compare,
    Add,
    Subtract,
    /// The larger or the smaller value.
    Extreme,
    /// The other sign, or none.
    Sign,
    /// Arithmetic that floats alone have.
    Float,
    And,
    /// Logic other than `and` that another of its kind is joined with.
    Logic,
    ShiftLeft,
    FunnelShift,
    /// Arithmetic of parts of registers.
    Video,
    /// Anything else with integers, once for each 32 bits.
    Integer,
    /// Products of matrices that a warp does, and what belongs to them.
    Matrix,
    /// Products of matrices that four warps do together.
    FourWarps,
    FourWarpsClose,
    FourWarpsAwait,
    FourWarpsFence,
}

impl Work {
    /// Returns whether it has to do with products of matrices that four warps do together.
    pub const fn is_of_four_warps(self) -> bool {
        matches!(self, Work::FourWarps | Work::FourWarpsClose | Work::FourWarpsAwait | Work::FourWarpsFence)
    }

    /// Returns whether it waits for groups of copies or of products of four warps, but for the latest few.
    pub const fn awaits_groups(self) -> bool {
        matches!(self, Work::AwaitGroups | Work::FourWarpsAwait)
    }

    /// Returns whether it takes a predicate as an operand among others, not to be switched off by it.
    pub const fn takes_predicates(self) -> bool {
        matches!(self, Work::Select | Work::Compare)
    }

    /// Returns whether lanes that meet at it know what the others have done: of instructions that keep a warp together, votes, comparisons and
    /// sums across lanes order no memory.
    pub const fn orders_lanes(self) -> bool {
        !matches!(self, Work::Vote | Work::ChooseLanes | Work::AddLanes)
    }
}
