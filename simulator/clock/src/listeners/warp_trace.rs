//! The beginning of a warp's run, as it is kept for the model of one multiprocessor.
use super::acts::{Act, Action};
use machine::probe::AccessKind;

/// The beginning of what a warp did.
#[derive(Clone, Default)]
pub struct WarpTrace {
    /// Basic blocks in the order in which they were run.
    pub runs: Vec<Run>,
    pub touches: Vec<Touch>,
    /// At barriers, and bulk copies.
    pub acts: Vec<Act>,
    /// Lines of global memory with the sectors of each that are touched.
    pub lines: Vec<(u64, u8)>,
    pub instructions: u32,
}

impl WarpTrace {
    /// With room for what most warps do, so that it seldom grows.
    pub(super) fn with_room() -> WarpTrace {
        WarpTrace {
            runs: Vec::with_capacity(64),
            touches: Vec::with_capacity(256),
            lines: Vec::with_capacity(256),
            ..WarpTrace::default()
        }
    }
}

impl WarpTrace {
    /// Notes what it does in the basic block that it is in; what several lanes do at once is one act.
    pub(super) fn note(&mut self, site: u32, action: Action) {
        let run = self.runs.len() as u32;
        let again = |last: &Act| (last.run, last.site, last.action) == (run, site, action);
        if matches!(action, Action::Transfer { .. }) || !self.acts.last().is_some_and(again) {
            self.acts.push(Act { site, run, action });
        }
    }

    /// Leaves what it did in its first runs.
    pub fn cut_acts(&mut self) {
        let runs = self.runs.len() as u32;
        let left = self.acts.partition_point(|act| act.run < runs);
        self.acts.truncate(left);
    }
}

/// A basic block that was run.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub function: u32,
    pub block: u32,
    /// Lanes that ran it.
    pub lanes: u32,
}

/// A word that no other warp swaps: shared memory has fewer.
pub const ALONE: u16 = u16::MAX;

/// An access to memory.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    pub site: u32,
    pub kind: AccessKind,
    pub shared: bool,
    /// The low four bits that any lane's address has: how far it is from lying at a multiple of 16.
    pub low: u8,
    /// True if it counts: adds one constant for all lanes, in one step for all lanes of a word.
    pub counts: bool,
    /// True if longer rows would free it of bank conflicts.
    pub pads: bool,
    /// Wavefronts of shared memory or of L1's data; for atomics the lanes that take turns in the busiest word.
    pub wavefronts: u16,
    /// The fewest wavefronts of shared memory, or sectors of global memory, that hold so many bytes.
    pub least: u16,
    /// For a word from shared memory: wavefronts of the two and of the four words that it is one of.
    pub wide: [u16; 2],
    /// In [`WarpTrace::lines`], and how many.
    pub first: u32,
    pub lines: u16,
    /// True for a store that puts no more than a word into each of its sectors.
    pub sparse: bool,
    /// Sectors that a store fills only in part.
    pub partial: u16,
    /// The lanes of the busiest word, which go one after the other, where the card makes a loop of swaps of an atomic on shared memory.
    pub swaps: u16,
    /// The first word of such an atomic; [`ALONE`] where no other warp has it.
    pub word: u16,
}

impl Touch {
    /// As that of an instruction which so many loads are joined in, of which this is one.
    pub fn joined(self, joined: u8) -> Touch {
        let wavefronts = match joined {
            2 => self.wide[0],
            4 => self.wide[1],
            _ => self.wavefronts,
        };
        Touch { wavefronts, ..self }
    }
}
