//! Why warps wait between two instructions, in Nsight Compute's words.
use crate::program::Program;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// It does not wait.
    Selected,
    /// For a unit, or for another warp's turn.
    NotSelected,
    /// For data from L1 and below.
    LongScoreboard,
    /// For data from shared memory, special functions, shuffles.
    ShortScoreboard,
    /// For a result of fixed latency.
    Wait,
    Barrier,
    BranchResolving,
}

impl Reason {
    /// As the profiler calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Selected => "selected",
            Reason::NotSelected => "not selected",
            Reason::LongScoreboard => "long scoreboard",
            Reason::ShortScoreboard => "short scoreboard",
            Reason::Wait => "wait",
            Reason::Barrier => "barrier",
            Reason::BranchResolving => "branch resolving",
        }
    }
}

/// Cycles of warps, by function, site and reason.
#[derive(Clone, Debug, Default)]
pub struct Stalls {
    cycles: FxHashMap<(u32, u32, Reason), u64>,
}

impl Stalls {
    /// An instruction was issued `since` cycles after the one before; of these its warp was ready in `ready`.
    pub fn add(&mut self, function: u32, site: u32, why: Reason, since: u64, ready: u64) {
        *self.cycles.entry((function, site, why)).or_default() += since.saturating_sub(ready);
        if ready > 0 {
            *self.cycles.entry((function, site, Reason::NotSelected)).or_default() += ready;
        }
    }
}

impl Stalls {
    /// Of the launch: each reason's part of all that warps wait, in percent.
    pub fn shares(&self) -> BTreeMap<&'static str, f64> {
        let all = self.cycles.values().sum::<u64>().max(1) as f64;
        let mut cycles: BTreeMap<&'static str, u64> = BTreeMap::new();
        for (&(_, _, reason), &own) in &self.cycles {
            *cycles.entry(reason.name()).or_default() += own;
        }
        cycles.into_iter().map(|(reason, own)| (reason, 100.0 * own as f64 / all)).collect()
    }

    /// By file and line of the source: each reason's part of all that warps wait, in percent.
    pub fn by_line(&self, program: &Program) -> BTreeMap<(String, u32), BTreeMap<&'static str, f64>> {
        let all = self.cycles.values().sum::<u64>().max(1) as f64;
        let mut lines: BTreeMap<(String, u32), BTreeMap<&'static str, f64>> = BTreeMap::new();
        // In order, so that sums are the same in each run.
        let ordered: BTreeMap<_, _> = self.cycles.iter().filter(|cycles| *cycles.1 > 0).collect();
        for (&(function, site, reason), &cycles) in ordered {
            let at = program.functions[function as usize].sites[site as usize].at;
            let file = program.files.get(at.file as usize).cloned().unwrap_or_default();
            *lines.entry((file, at.line)).or_default().entry(reason.name()).or_default() += 100.0 * cycles as f64 / all;
        }
        lines
    }
}
