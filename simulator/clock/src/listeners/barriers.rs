//! Numbers the phases of the barriers of the blocks that are followed, and notes what their warps do there.
//!
//! Each barrier's phases are numbered in the order in which they ended, so that a warp that found one over is known to have waited for
//! that very one. Barriers of other blocks are left out.
use super::acts::{Act, Action, NAMED, Phase};
use super::warp_trace::WarpTrace;
use machine::probe::{AccessKind, Arrival, Completed, PhaseAct, Region, lanes};
use rustc_hash::FxHashMap;

/// The first phase of a barrier, and the one that it is in.
#[derive(Clone, Copy, Default)]
struct Numbers {
    first: u32,
    now: u32,
}

/// The barriers of the blocks that are followed and still run.
#[derive(Default)]
pub struct Barriers {
    /// By block and barrier.
    numbers: FxHashMap<(u64, u32), Numbers>,
}

impl Barriers {
    fn of(&mut self, block: u64, barrier: u32) -> &mut Numbers {
        self.numbers.entry((block, barrier)).or_default()
    }

    fn now(&mut self, block: u64, barrier: u32) -> Phase {
        Phase { barrier, number: self.of(block, barrier).now }
    }

    /// A block is through.
    pub fn end_block(&mut self, block: u64) {
        if !self.numbers.is_empty() {
            self.numbers.retain(|(of, _), _| *of != block);
        }
    }

    /// Notes what lanes of one of the block's warps did to barriers in shared memory. If the warp is followed no longer, only the
    /// phases that it ended matter.
    pub fn phase(&mut self, of: &machine::probe::Phase, after_copies: bool, mut warp: Option<&mut WarpTrace>) {
        let block = of.who.block_index;
        let mut last = None;
        for lane in lanes(of.mask) {
            let barrier = of.addresses[lane] as u32;
            // Lanes do it one after the other; a warp is played as one.
            let again = last.replace(barrier) == Some(barrier);
            let action = match of.act {
                PhaseAct::Init | PhaseAct::Invalidate if !again => {
                    let numbers = self.of(block, barrier);
                    let first = numbers.now + 1;
                    *numbers = Numbers { first, now: first };
                    None
                }
                PhaseAct::Arrive { .. } if !again => {
                    let phase = self.now(block, barrier);
                    Some(Action::Arrive { phase, after_copies })
                }
                PhaseAct::Test { over } if over >> lane & 1 != 0 => {
                    let Numbers { first, now } = *self.of(block, barrier);
                    // Before the first one all are over.
                    (now > first).then(|| Action::Await(Phase { barrier, number: now - 1 }))
                }
                _ => None,
            };
            if let (Some(warp), Some(action)) = (&mut warp, action) {
                warp.note(of.site, action);
            }
            if let PhaseAct::Arrive { ended } = of.act
                && ended >> lane & 1 != 0
            {
                self.of(block, barrier).now += 1;
            }
        }
    }

    /// Notes that a warp comes to a named barrier, at the end of the basic block that was run last.
    pub fn arrive(&mut self, of: &Arrival, warp: &mut WarpTrace) {
        let phase = self.now(of.who.block_index, NAMED + of.id);
        let run = (warp.runs.len() as u32).saturating_sub(1);
        let does = [Some(Action::Arrive { phase, after_copies: false }), of.waits.then_some(Action::Await(phase))];
        warp.acts.extend(does.into_iter().flatten().map(|action| Act { site: of.site, run, action }));
    }

    /// A named barrier lets go.
    pub fn release(&mut self, block: u64, id: u32) {
        self.of(block, NAMED + id).now += 1;
    }

    /// Notes a bulk copy that a warp asks for; its lines are appended by `lines_of`.
    pub fn transfer(
        &mut self,
        of: &machine::probe::Transfer,
        warp: &mut WarpTrace,
        lines_of: impl Fn(&Region, &mut Vec<(u64, u8)>),
    ) {
        let block = of.who.block_index;
        let own = of.barrier.filter(|barrier| barrier.0 == block);
        let heard = own.map(|barrier| self.now(block, barrier.1 as u32));
        let first = warp.lines.len() as u32;
        let global = || of.regions.iter().filter(|region| region.space == ptx::isa::Space::Global && region.bytes > 0);
        global().for_each(|region| lines_of(region, &mut warp.lines));
        let lines = warp.lines.len() as u32 - first;
        if lines > 0 || heard.is_some() {
            let kind = global().next().map_or(AccessKind::Load, |region| region.kind);
            let action = Action::Transfer { kind, first, lines, heard };
            warp.note(of.site, action);
        }
    }

    /// A bulk copy is there, and its barrier has heard of it.
    pub fn completed(&mut self, of: &Completed) {
        if of.ended
            && let Some(numbers) = self.numbers.get_mut(&(of.block, of.address as u32))
        {
            numbers.now += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listeners::warp_trace::Run;
    use machine::probe::{Order, Scope, Strength, Who};

    /// Lets a warp act on the barrier at 64.
    fn act_on(barriers: &mut Barriers, warp: &mut WarpTrace, mask: u32, act: PhaseAct) {
        let order = Order { strength: Strength::Phase, scope: Scope::Block };
        let phase = machine::probe::Phase { who: Who::default(), site: 3, mask, addresses: &[64; 32], act, order };
        barriers.phase(&phase, false, Some(warp));
    }

    #[test]
    fn who_finds_a_phase_over_has_waited_for_those_who_arrived_in_it() {
        let (mut barriers, mut warp) = (Barriers::default(), WarpTrace::default());
        act_on(&mut barriers, &mut warp, 1, PhaseAct::Init);
        act_on(&mut barriers, &mut warp, 1, PhaseAct::Test { over: 1 });
        assert!(warp.acts.is_empty(), "nobody waits for what was before the first phase");
        act_on(&mut barriers, &mut warp, !0, PhaseAct::Arrive { ended: 0 });
        act_on(&mut barriers, &mut warp, !0, PhaseAct::Test { over: 0 });
        warp.runs.push(Run { function: 0, block: 0, lanes: !0 });
        act_on(&mut barriers, &mut warp, !0, PhaseAct::Arrive { ended: 1 << 31 });
        act_on(&mut barriers, &mut warp, !0, PhaseAct::Test { over: !0 });
        let phases: Vec<_> = warp.acts.iter().map(|act| act.action).collect();
        let phase = Phase { barrier: 64, number: 1 };
        let arrives = Action::Arrive { phase, after_copies: false };
        assert_eq!(phases, [arrives, arrives, Action::Await(phase)]);
    }

    #[test]
    fn a_barrier_that_is_made_again_has_phases_of_its_own() {
        let (mut barriers, mut warp) = (Barriers::default(), WarpTrace::default());
        for _ in 0..2 {
            act_on(&mut barriers, &mut warp, 1, PhaseAct::Init);
            act_on(&mut barriers, &mut warp, 1, PhaseAct::Arrive { ended: 1 });
        }
        let phases: Vec<_> = warp.acts.iter().filter_map(|act| act.action.counts_in()).collect();
        assert!(phases[0] != phases[1], "{phases:?}");
    }
}
