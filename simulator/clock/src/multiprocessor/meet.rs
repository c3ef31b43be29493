//! What warps do at barriers that only some of their block meet at, and the bulk copies that these hear of.
use super::choice::Candidates;
use super::machine::{Block, Machine};
use super::phases::Phases;
use super::resident_warp::{NEVER, Warp};
use crate::analytic::stalls::Reason;
use crate::constants::{ARRIVAL_CYCLES, BARRIER_CYCLES, PHASE_ARRIVAL_CYCLES, TRANSFER_ISSUE_CYCLES};
use crate::listeners::acts::{Act, Action, Phase};
use machine::probe::AccessKind;

/// What happens when a warp has issued an instruction.
#[derive(Default)]
pub(super) struct Woken {
    /// Warps that wait no longer, and until when they did.
    pub warps: Vec<(usize, u64)>,
}

impl<'a> Machine<'a> {
    /// Does what a warp's trace says of the instruction that it has issued now.
    pub(super) fn act(&mut self, index: usize, warp: &mut Warp, acts: &[Act], now: u64, phases: &mut Phases) -> Woken {
        let card = self.card;
        let seen = |phase: Phase| match phase.is_named() {
            true => BARRIER_CYCLES,
            false => u64::from(card.architecture.shared_latency_cycles),
        };
        let mut woken = Woken::default();
        let mut come = |phases: &mut Phases, phase, at| {
            let (warps, over) = phases.come(phase, at);
            woken.warps.extend(warps.into_iter().map(|warp| (warp, over + seen(phase))));
        };
        for act in acts {
            match act.action {
                Action::Arrive { phase, .. } if phase.is_named() => {
                    self.barriers = self.barriers.max(now as f64) + ARRIVAL_CYCLES;
                    come(phases, phase, (self.barriers as u64).max(now));
                }
                Action::Arrive { phase, after_copies } => {
                    let copies = warp.groups.iter().copied().fold(warp.ungrouped, u64::max);
                    let at = now + PHASE_ARRIVAL_CYCLES;
                    come(phases, phase, if after_copies { at.max(copies) } else { at });
                }
                Action::Transfer { kind, first, lines, heard } => {
                    let lines = &warp.trace.lines[first as usize..][..lines as usize];
                    let there = self.load_store.transfer(warp.copy, lines, kind, now as f64) as u64;
                    if kind != AccessKind::Load {
                        warp.stored = warp.stored.max(there);
                    }
                    if let Some(phase) = heard {
                        come(phases, phase, there);
                    }
                    (warp.ready, warp.why) = (warp.ready.max(now + TRANSFER_ISSUE_CYCLES), Reason::Wait);
                }
                Action::Await(phase) => match phases.wait(phase, index) {
                    Some(over) if over + seen(phase) <= warp.ready => {}
                    over => {
                        let why = if phase.is_named() { Reason::Barrier } else { Reason::LongScoreboard };
                        (warp.ready, warp.why) = (over.map_or(NEVER, |over| over + seen(phase)), why);
                    }
                },
            }
        }
        woken
    }

    /// Wakes warps at their times.
    pub(super) fn wake(&self, warps: &mut [Warp<'a>], candidates: &mut Candidates, woken: &Woken) {
        for &(index, at) in &woken.warps {
            let warp = &mut warps[index];
            if warp.ready == NEVER {
                warp.ready = at;
                // It may wait for its operands still.
                warp.advance(self.codes);
                candidates.note(index, warp);
            }
        }
    }

    /// Lets those go on who wait for what was cut off; nobody else can go on. Whether there are any.
    pub(super) fn let_go(
        &self,
        (warps, candidates): (&mut [Warp<'a>], &mut Candidates),
        blocks: &mut [Block],
        now: u64,
    ) -> bool {
        let of_phases: Vec<usize> = blocks.iter_mut().flat_map(|block| block.phases.let_go()).collect();
        let mut woken = Woken { warps: of_phases.into_iter().map(|index| (index, now + 1)).collect() };
        if woken.warps.is_empty() {
            for block in blocks.iter_mut() {
                block.arrived = 0;
                woken.warps.extend(block.waiting.drain(..).map(|index| (index, now + 1)));
            }
        }
        self.wake(warps, candidates, &woken);
        !woken.warps.is_empty()
    }
}
