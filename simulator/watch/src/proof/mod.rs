//! Race freedom for all data: whether no data at all can make a launch race, at this grid and with these arguments.
//!
//! Where data decide neither an address nor a condition ([`ByData`]), every run of the launch makes the same accesses, thread by thread, and
//! meets at the same barriers. So one run shows them all, and what is shown of their order holds for all data and for every schedule. Two
//! accesses are ordered here only where the text alone orders them: a thread's own, those before and after a barrier that all threads of
//! the block, or of the warp, come to, and those before the arrivals of a phase of an `mbarrier` and after a wait for it (`order` says when). Signals, fences and atomics order nothing, since another run may see them in another order. A pair that
//! only they order, or that the sanitizer excuses because the values happen to be equal, leaves it undecided.
//!
//! `word` keeps who touched a word, `order` who is ordered before whom in a block, `listener` hears the launch.
mod listener;
mod order;
mod word;

use crate::sanitizer::Sanitizer;
use crate::sanitizer::findings::finding::Kind;
pub use listener::Proof;
use machine::probe::Launch;
use machine::program::{ByData, Function};

/// The verdict on a launch that has run to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No data can make it race.
    Proved,
    /// It has raced in this run.
    Refuted,
    NotDecided(Why),
}

/// The reason for which it is not decided; sites are those of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    ByData {
        site: u32,
        how: ByData,
    },
    /// Threads meet in memory, at this site later than elsewhere, and no barrier of all threads stands between.
    Met {
        site: u32,
    },
    /// The arguments do not tell which memory is written at this site.
    Written {
        site: u32,
    },
    /// A barrier is not one at which all threads of the block wait.
    Barrier {
        site: u32,
    },
    /// In another order of warps this might be another phase of its `mbarrier`.
    Phase {
        site: u32,
    },
    /// Threads have ended before a barrier.
    LeftEarly,
    /// The sanitizer has found something else than a race.
    OtherFinding,
    /// Blocks of a cluster share memory.
    Cluster,
    /// More threads, or more barriers, than are numbered.
    TooLarge,
}

impl Verdict {
    /// The verdict on a launch that the sanitizer has heard: `undecided` is what the proof has heard of it, or of the same launch before;
    /// `None` where nobody could.
    pub fn of(function: &Function, sanitizer: &Sanitizer, undecided: Option<Option<Why>>) -> Verdict {
        let is_race = |kind: &Kind| matches!(kind, Kind::Race { .. } | Kind::WriteClash { .. });
        if sanitizer.findings().any(|finding| is_race(&finding.kind)) {
            return Verdict::Refuted;
        }
        if let Some((site, how)) = function.data_dependence {
            return Verdict::NotDecided(Why::ByData { site, how });
        }
        match undecided.unwrap_or(Some(Why::Cluster)) {
            Some(why) => Verdict::NotDecided(why),
            None if sanitizer.findings().next().is_some() => Verdict::NotDecided(Why::OtherFinding),
            None => Verdict::Proved,
        }
    }
}

/// True if a launch can be proved at all, so that listening to it is worth while.
pub fn is_possible(launch: &Launch) -> bool {
    launch.function.data_dependence.is_none() && launch.cluster.iter().product::<u32>() == 1
}
