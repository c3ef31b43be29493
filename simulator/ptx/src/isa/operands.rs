//! How operands of the text map to an op, and how wide they are.

/// How the operands of the text map to an `Op`. Any source may be a register or a constant: both
/// are rows. A destination that is thrown away (`_`) is a row that nobody reads. "More" are the rows from
/// `Op::more` on, in `Function::rows`.
///
/// Common to all: the offset of an address is in `imm`; a negated predicate (`!%p`) and a special register are
/// moved to a row of their own by an op before; cache policies after `.L2::cache_hint` are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// No operand.
    Nothing,
    /// `a`: sources only. A constant `a` is also in `imm`.
    Source,
    /// `d` · `d, a` · `d, a, b` · `d, a, b, c` · `d, a, b, c, e`. A fourth source is the first of "more"; when it is a
    /// constant (the table of `lop3`) it is also in `imm`. Where the manual lets sources out, their row is one that
    /// nobody writes and their width in [`super::form::Form::widths`] is 0. `d|q`: `q` is the last of "more". An instruction that reads
    /// or writes the carry flag has the flag's predicate row as its first of "more".
    ///
    /// See [`Operands::Move`] for `mov`.
    Value,
    /// As `Value`, of `mov`: also from a special register. With a vector "more" has its elements and [`super::form::Form::vector`] counts them. `d` is wider than `a`: packs the
    /// elements ("more") into `d`; `d` is narrower: unpacks `a` into the elements.
    Move,
    /// As `Value`, of `lop3`: with a Boolean operation it has a predicate more on both sides, and without it on neither.
    TruthTable,
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
    /// A warp-synchronous op, `End::Converge`: `d|p, a, b, c, members`: "more" is `p`, members.
    Shuffle,
    /// `d, a, members` (`vote`, `redux`): `b` is the member mask.
    Vote,
    /// `d|p, a, members` (`match`): `b` is the member mask, `p` the first of "more".
    Match,
    /// `members` (`bar.warp.sync`): `a` is the member mask.
    Members,
    /// `d|p, members` (`elect`): `a` is the member mask, `p` the first of "more".
    Elect,
    /// `mma`: "more" has the elements of `d`, `a`, `b`, `c`, and what follows, in this order.
    Multiply,
    /// `ldmatrix {d…}, [a]`: "more" has the elements of `d`.
    MatrixLoad,
    /// `stmatrix [a], {b…}`: "more" has the elements of `b`.
    MatrixStore,
    /// `wmma.load {d…}, [a], c`: as `MatrixLoad`; `c` is how many elements a row is from the next, and may be left out.
    FragmentLoad,
    /// `wmma.store [a], {b…}, c`: likewise as `MatrixStore`.
    FragmentStore,
    /// Operations of the asynchronous proxy: "more" has every operand in the order of the text, each in a row of 64 bits, a
    /// tile's map before its coordinates; [`super::form::Form::vector`] counts them.
    Bulk,
    /// `{d…}, [a, {…}]`, `{d…}|p, [a, {…}], {…}…`: "more" has the elements of a vector `d`, and then what stands in the brackets and after them,
    /// each in a row of 64 bits. `p` is `c`, and `imm` is 1 where there is one.
    Texture,
    /// `wgmma.mma_async`: "more" has the elements of `d`, those of `a` or its descriptor, and `b`'s descriptor; `c` is the
    /// predicate that keeps `d`, `imm` says which factors are negated and transposed, and
    /// [`super::form::Form::vector`] counts the rows of `a`.
    WarpgroupMultiply,
    /// Ends of blocks, by name in `lower`.
    Branch,
    Switch,
    Call,
    Return,
    Exit,
    Trap,
    Meet,
    /// `barrier.cluster`
    MeetCluster,
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
    U32,
    B64,
    Pred,
    /// Like the width after it, and may be left out.
    Maybe(&'static Width),
}
