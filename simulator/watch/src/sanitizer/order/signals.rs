//! Signals: what strong accesses and `mbarrier` objects make known between threads.
use super::knowledge::{Outside, join};
use super::published::Published;
use super::vector_clock::VectorClock;
use super::warps::Warps;
use machine::probe::{Access, AccessKind, Addresses, Order, Phase, PhaseAct, Strength, lanes};
use ptx::isa::Space;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Publications by their addresses.
pub type Signals = FxHashMap<u64, Published>;

/// Knowledge that was brought to an `mbarrier`: to the phase under way, and to all that are over.
#[derive(Clone, Debug, Default)]
pub struct Phases {
    under_way: Arc<Outside>,
    over: Arc<Outside>,
}

impl Phases {
    /// Something was brought to the phase under way, and may have ended it.
    pub fn bring(&mut self, told: &Arc<Outside>, ended: bool) {
        join(&mut self.under_way, told);
        if ended {
            let brought = std::mem::take(&mut self.under_way);
            join(&mut self.over, &brought);
        }
    }
}

/// A strong access learns what was published at its addresses, and publishes. `signals`: those of its memory. True if the accesses from now on
/// come after what it published: the caller ends that once it has noted the access.
#[inline(never)]
pub fn strong(warps: &mut Warps, signals: &mut Signals, access: &Access) -> bool {
    let Some(clock) = warps.clocks.get_mut(access.who.warp as usize) else { return false };
    let (reads, writes) = (access.kind != AccessKind::Store, access.kind != AccessKind::Load);
    let publishes = writes && clock.publishes(access.order);
    if signals.is_empty() && !publishes {
        return false;
    }
    let read = (access.who.function, access.site);
    // A multiprocessor keeps the order of accesses to its shared memory, and cooperative groups count on it: they read what
    // a signal stands for without a fence after the atomic.
    let order = match access.space {
        Space::Shared => Order { strength: Strength::Acquire, ..access.order },
        _ => access.order,
    };
    let same = matches!(access.addresses, Addresses::Same(_));
    for lane in lanes(access.distinct_lanes()) {
        let address = access.address(lane);
        let readers = if same { access.mask } else { 1 << lane };
        if reads && let Some(published) = signals.get(&address) {
            clock.learn(readers, order, read, published);
        }
        if writes {
            let mut published = signals.remove(&address);
            let update = access.kind == AccessKind::Atomic;
            // Where lanes write one address, each of them tells its knowledge.
            for (index, writer) in lanes(readers).enumerate() {
                clock.publish(writer as u32, access.order, update || index > 0, &mut published);
            }
            if let Some(published) = published {
                signals.insert(address, published);
            }
        }
    }
    publishes && matches!(access.order.strength, Strength::Release | Strength::AcquireRelease)
}

/// Arrivals at an `mbarrier` tell what their threads know, and those that find its phase over learn what all have told.
pub fn phase(clock: &mut VectorClock, phases: &mut FxHashMap<u64, Phases>, phase: &Phase) {
    for lane in lanes(phase.mask) {
        match phase.act {
            PhaseAct::Init | PhaseAct::Invalidate => {
                phases.remove(&phase.addresses[lane]);
            }
            PhaseAct::Arrive { ended } => {
                let releases = phase.order.strength != Strength::Relaxed;
                let told = if releases { clock.told(lane as u32) } else { Arc::default() };
                phases.entry(phase.addresses[lane]).or_default().bring(&told, ended >> lane & 1 != 0);
            }
            PhaseAct::Test { over } if over >> lane & 1 != 0 && phase.order.strength != Strength::Relaxed => {
                if let Some(phases) = phases.get(&phase.addresses[lane]) {
                    clock.fetch(1 << lane, &phases.over);
                }
            }
            PhaseAct::Test { .. } => {}
        }
    }
    if matches!(phase.act, PhaseAct::Arrive { .. }) {
        clock.released();
    }
}
