//! The steps of a warp at barriers that only some of a block's warps meet at, and the bulk copies that it asks for.
use machine::probe::AccessKind;

/// A phase of a barrier of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Phase {
    /// The offset in shared memory of one that lies there; of a named one [`NAMED`] and its name.
    pub barrier: u32,
    pub number: u32,
}

impl Phase {
    /// Whether its barrier is a named one.
    pub fn is_named(self) -> bool {
        self.barrier >= NAMED
    }
}

/// No offset in shared memory.
pub(super) const NAMED: u32 = 1 << 31;

/// One such step of a warp.
#[derive(Clone, Copy, Debug)]
pub struct Act {
    pub site: u32,
    /// In the warp's runs: the basic block in which it did it.
    pub run: u32,
    pub action: Action,
}

/// The kinds of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It arrived; `after_copies`: as soon as its copies so far are there.
    Arrive { phase: Phase, after_copies: bool },
    /// It found a phase over.
    Await(Phase),
    /// It asked for a bulk copy from or to lines of [`WarpTrace::lines`](super::warp_trace::WarpTrace::lines), which a barrier may hear of.
    Transfer { kind: AccessKind, first: u32, lines: u32, heard: Option<Phase> },
}

impl Action {
    /// Whether it is a bulk copy.
    pub fn is_transfer(self) -> bool {
        matches!(self, Action::Transfer { .. })
    }

    /// The phase that waits for it.
    pub fn counts_in(self) -> Option<Phase> {
        match self {
            Action::Arrive { phase, .. } => Some(phase),
            Action::Await(_) => None,
            Action::Transfer { heard, .. } => heard,
        }
    }
}
