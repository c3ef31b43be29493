//! Why warps wait between two instructions, in Nsight Compute's words.
use crate::isa::machine::Unit;
use crate::program::Program;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// It does not wait.
    Selected,
    /// For another warp's turn.
    NotSelected,
    /// For a unit that calculates.
    MathPipeThrottle,
    /// For the queue to shared memory, shuffles, special functions and branches.
    MioThrottle,
    /// For the queue to global and local memory.
    LgThrottle,
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
    /// The reason for which a warp waits that has all it needs but its unit. `beyond`: it goes to global or local memory.
    pub const fn of_unit(unit: Unit, beyond: bool) -> Reason {
        match unit {
            Unit::Fp32 | Unit::Multiply | Unit::Wide | Unit::Integer | Unit::Add => Reason::MathPipeThrottle,
            Unit::Fp64 | Unit::Fp16 | Unit::Tensor => Reason::MathPipeThrottle,
            Unit::Memory | Unit::Copy if beyond => Reason::LgThrottle,
            _ => Reason::MioThrottle,
        }
    }

    /// As the profiler calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Selected => "selected",
            Reason::NotSelected => "not selected",
            Reason::MathPipeThrottle => "math pipe throttle",
            Reason::MioThrottle => "MIO throttle",
            Reason::LgThrottle => "LG throttle",
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
    /// An instruction of a function's site was issued `since` cycles after the one before. Of these its warp was ready in `ready`, and in
    /// so many of those its unit was busy: the last two are the reason that this has, and the cycles.
    pub fn add(&mut self, at: (u32, u32), why: Reason, since: u64, ready: u64, (unit, busy): (Reason, u64)) {
        let (function, site) = at;
        let mut add = |reason: Reason, cycles: u64| *self.cycles.entry((function, site, reason)).or_default() += cycles;
        add(why, since.saturating_sub(ready));
        if busy > 0 {
            add(unit, busy);
        }
        if ready > busy {
            add(Reason::NotSelected, ready - busy);
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
