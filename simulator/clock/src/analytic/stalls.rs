//! The reasons for which warps wait between two instructions, in Nsight Compute's words.
use machine::program::Program;
use ptx::isa::machine::Unit;
use std::collections::BTreeMap;

super::named! {
    #[derive(PartialOrd, Ord)]
    pub enum Reason;
    /// It does not wait.
    Selected = "selected",
    /// For another warp's turn.
    NotSelected = "not selected",
    /// For a unit that calculates.
    MathPipeThrottle = "math pipe throttle",
    /// For the queue to shared memory, shuffles, special functions and branches.
    MioThrottle = "MIO throttle",
    /// For the queue to global and local memory.
    LgThrottle = "LG throttle",
    /// For data from L1 and below.
    LongScoreboard = "long scoreboard",
    /// For data from shared memory, special functions, shuffles.
    ShortScoreboard = "short scoreboard",
    /// For a result of fixed latency.
    Wait = "wait",
    Barrier = "barrier",
    BranchResolving = "branch resolving",
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
}

/// Cycles of warps: by function, site and reason.
#[derive(Clone, Debug, Default)]
pub struct Stalls {
    cycles: Vec<Vec<[u64; Reason::ALL.len()]>>,
}

impl Stalls {
    /// An instruction of a function's site was issued `since` cycles after the one before. Its warp was ready in `ready` of them, and in
    /// so many of those its unit was busy: the last two are the reason that this has, and the cycles.
    pub fn add(&mut self, at: (u32, u32), why: Reason, since: u64, ready: u64, (unit, busy): (Reason, u64)) {
        let cycles = self.of_site(at.0 as usize, at.1 as usize);
        cycles[why as usize] += since.saturating_sub(ready);
        cycles[unit as usize] += busy;
        cycles[Reason::NotSelected as usize] += ready.saturating_sub(busy);
    }

    fn of_site(&mut self, function: usize, site: usize) -> &mut [u64; Reason::ALL.len()] {
        if self.cycles.len() <= function {
            self.cycles.resize(function + 1, Vec::new());
        }
        let sites = &mut self.cycles[function];
        if sites.len() <= site {
            sites.resize(site + 1, Default::default());
        }
        &mut sites[site]
    }

    /// Function, site, reason and cycles, in this order.
    fn each(&self) -> impl Iterator<Item = (usize, usize, Reason, u64)> {
        let sites = self.cycles.iter().enumerate();
        let sites = sites.flat_map(|(function, sites)| sites.iter().enumerate().map(move |site| (function, site)));
        sites.flat_map(|(function, (site, cycles))| {
            let cycles = Reason::ALL.iter().zip(cycles).filter(|(_, cycles)| **cycles > 0);
            cycles.map(move |(&reason, &cycles)| (function, site, reason, cycles))
        })
    }

    /// The cycles of the whole launch.
    fn all(&self) -> f64 {
        self.each().map(|(.., cycles)| cycles).sum::<u64>().max(1) as f64
    }

    /// Each reason's part of all cycles in which the launch's warps wait, in percent.
    pub fn shares(&self) -> BTreeMap<&'static str, f64> {
        let mut cycles: BTreeMap<&'static str, u64> = BTreeMap::new();
        for (_, _, reason, own) in self.each() {
            *cycles.entry(reason.name()).or_default() += own;
        }
        let all = self.all();
        cycles.into_iter().map(|(reason, own)| (reason, 100.0 * own as f64 / all)).collect()
    }

    /// The same by file and line of the source.
    pub fn by_line(&self, program: &Program) -> BTreeMap<(String, u32), BTreeMap<&'static str, f64>> {
        let all = self.all();
        let mut lines: BTreeMap<(String, u32), BTreeMap<&'static str, f64>> = BTreeMap::new();
        for (function, site, reason, cycles) in self.each() {
            let at = program.functions[function].sites[site].at;
            let file = program.files.get(at.file as usize).cloned().unwrap_or_default();
            *lines.entry((file, at.line)).or_default().entry(reason.name()).or_default() += 100.0 * cycles as f64 / all;
        }
        lines
    }
}
