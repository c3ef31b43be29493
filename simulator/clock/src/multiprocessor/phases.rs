//! The phases of a resident block's barriers while it is played: what each still waits for, and who waits for it.
use crate::listeners::acts::Phase;
use crate::listeners::warp_trace::WarpTrace;
use rustc_hash::FxHashMap;

/// A phase.
#[derive(Clone, Debug, Default)]
struct State {
    /// Arrivals and copies that are still to come, as far as they are played.
    open: u32,
    /// When the last one of those that came is there.
    last: u64,
    waiting: Vec<usize>,
}

/// The phases of one block.
#[derive(Clone, Debug, Default)]
pub struct Phases {
    states: FxHashMap<Phase, State>,
    waiting: usize,
}

impl Phases {
    /// Of a block whose warps have traces.
    pub fn of(warps: &[WarpTrace]) -> Phases {
        let mut phases = Phases::default();
        for phase in warps.iter().flat_map(|warp| &warp.acts).filter_map(|act| act.action.counts_in()) {
            phases.states.entry(phase).or_default().open += 1;
        }
        phases
    }

    /// An arrival or a copy that is there at a time. Where it is the last one of its phase: who waits for that, and until when.
    pub fn come(&mut self, phase: Phase, at: u64) -> (Vec<usize>, u64) {
        let Some(state) = self.states.get_mut(&phase) else { return (Vec::new(), at) };
        state.open = state.open.saturating_sub(1);
        state.last = state.last.max(at);
        if state.open > 0 {
            return (Vec::new(), at);
        }
        let woken = std::mem::take(&mut state.waiting);
        self.waiting -= woken.len();
        (woken, state.last)
    }

    /// When a phase is over. `None`: nobody knows yet, and the warp is told when it is.
    pub fn wait(&mut self, phase: Phase, warp: usize) -> Option<u64> {
        // Of what is not played nobody comes.
        let Some(state) = self.states.get_mut(&phase) else { return Some(0) };
        if state.open == 0 {
            return Some(state.last);
        }
        state.waiting.push(warp);
        self.waiting += 1;
        None
    }

    /// Those who wait, where nobody will come any more: of long warps only the beginning is played. They wait no longer.
    pub fn let_go(&mut self) -> Vec<usize> {
        if self.waiting == 0 {
            return Vec::new();
        }
        self.waiting = 0;
        self.states.values_mut().flat_map(|state| std::mem::take(&mut state.waiting)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listeners::acts::{Act, Action};
    use crate::listeners::warp_trace::Run;

    const PHASE: Phase = Phase { barrier: 8, number: 0 };

    fn arrives(run: u32) -> Act {
        Act { site: 0, run, action: Action::Arrive { phase: PHASE, after_copies: false } }
    }

    fn warps() -> Vec<WarpTrace> {
        let run = Run { function: 0, block: 0, lanes: !0 };
        let warp = |acts| WarpTrace { runs: vec![run; 2], acts, ..WarpTrace::default() };
        vec![warp(vec![arrives(0)]), warp(vec![arrives(1)])]
    }

    #[test]
    fn a_phase_is_over_with_its_last_arrival() {
        let mut phases = Phases::of(&warps());
        assert_eq!(phases.come(PHASE, 700), (Vec::new(), 700));
        assert_eq!(phases.wait(PHASE, 5), None);
        assert_eq!(phases.come(PHASE, 300), (vec![5], 700), "the last that is issued may be there before others");
        assert_eq!(phases.wait(PHASE, 6), Some(700));
    }

    #[test]
    fn arrivals_that_are_cut_off_are_not_waited_for() {
        let mut warps = warps();
        warps[1].runs.truncate(1);
        warps.iter_mut().for_each(WarpTrace::cut_acts);
        let mut phases = Phases::of(&warps);
        assert_eq!(phases.wait(PHASE, 5), None);
        assert_eq!(phases.come(PHASE, 20), (vec![5], 20));
        assert_eq!(phases.wait(Phase { barrier: 8, number: 1 }, 5), Some(0));
    }

    #[test]
    fn who_waits_for_nobody_is_let_go() {
        let mut phases = Phases::of(&warps());
        assert_eq!(phases.wait(PHASE, 5), None);
        assert_eq!(phases.let_go(), [5]);
        assert!(phases.let_go().is_empty());
    }
}
