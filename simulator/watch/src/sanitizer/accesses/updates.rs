//! Volatile accesses of one warp that mean more than each for itself: updates, where a word is read by one instruction and written back by another, so
//! that what others write in between is lost; and steps, where a lane computes with what another lane has stored by the same instruction as itself, with
//! nothing between that makes the one wait for the other.
use machine::probe::{Access, AccessKind, Strength, lanes};

/// The lanes of a volatile store that write back, changed, what they have just read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Updates {
    pub lanes: u32,
    /// A lane that writes what it has computed from another lane's word of the step before; or one that writes what another has read just before.
    pub in_step: Option<InStep>,
}

/// A load of what another lane of the warp has stored by an instruction that the loading lane ran too; or a load of what another lane then stores
/// by such an instruction.
#[derive(Clone, Copy, Debug)]
pub struct InStep {
    pub address: u64,
    /// Kind, site and lane of the two accesses, in their order.
    pub accesses: [(AccessKind, u32, u32); 2],
}

/// The latest volatile loads and stores of a warp.
#[derive(Clone, Debug, Default)]
pub struct VolatileAccesses {
    loads: Vec<Noted>,
    /// Those since the warp last met or made a fence.
    stores: Vec<Noted>,
}

#[derive(Clone, Debug)]
struct Noted {
    function: u32,
    site: u32,
    mask: u32,
    addresses: [u64; 32],
    stamp: u32,
    in_step: Option<InStep>,
}

/// So many are remembered: a statement reads few words before it writes.
const MOST: usize = 8;

impl VolatileAccesses {
    /// Notes an access if it is a volatile load, and finds out what it is if it is a volatile store. `block`: the sites of
    /// a site's basic block. Within one, a load of a word and then a store to it are one update of it. `stamp`: that of the warp's clock.
    pub fn access(&mut self, access: &Access, stamp: u32, block: impl Fn(u32, u32) -> std::ops::Range<u32>) -> Updates {
        let here = access.who.function;
        let note = |list: &mut Vec<Noted>, in_step| {
            list.retain(|noted| (noted.function, noted.site) != (here, access.site));
            if list.len() == MOST {
                list.remove(0);
            }
            let addresses = std::array::from_fn(|lane| access.address(lane));
            list.push(Noted { function: here, site: access.site, mask: access.mask, addresses, stamp, in_step });
        };
        self.stores.retain(|store| store.stamp == stamp);
        match (access.kind, access.order.strength) {
            (AccessKind::Load, Strength::Volatile | Strength::Relaxed) => {
                let in_step = lanes(access.mask).find_map(|lane| self.in_step(access, lane));
                note(&mut self.loads, in_step);
            }
            (AccessKind::Store, Strength::Volatile | Strength::Relaxed) => {
                let block = block(here, access.site);
                let before =
                    |load: &&Noted| load.function == here && block.contains(&load.site) && load.site < access.site;
                let changes = |lane: u32| {
                    let n = access.bytes.min(16) as usize;
                    access.stored.is_none_or(|stored| stored.value(lane)[..n] != stored.current(lane)[..n])
                };
                let mut updates = Updates::default();
                for load in self.loads.iter().filter(before) {
                    let same = lanes(load.mask & access.mask & !updates.lanes);
                    same.filter(|&lane| load.addresses[lane] == access.address(lane) && changes(lane as u32))
                        .for_each(|lane| updates.lanes |= 1 << lane);
                    let in_step = load.in_step.filter(|step| access.mask >> step.accesses[1].2 & 1 != 0);
                    updates.in_step = updates.in_step.or(in_step);
                }
                if access.order.strength == Strength::Volatile {
                    let overwritten = || {
                        lanes(access.mask & !updates.lanes)
                            .filter(|&lane| changes(lane as u32))
                            .find_map(|lane| self.overtaken(access, lane, stamp))
                    };
                    updates.in_step = updates.in_step.or_else(overwritten);
                    note(&mut self.stores, None);
                }
                return updates;
            }
            _ => {}
        }
        Updates::default()
    }

    /// The store of another lane, in step with this one, that a lane of a load reads.
    fn in_step(&self, access: &Access, lane: usize) -> Option<InStep> {
        let address = access.address(lane);
        let wrote = |store: &Noted, lane: usize| store.mask >> lane & 1 != 0 && store.addresses[lane] == address;
        let last = self.stores.iter().rev().find(|store| (0..32).any(|other| wrote(store, other)))?;
        let other = (0..32).find(|&other| wrote(last, other))?;
        let both = last.function == access.who.function && last.mask >> lane & 1 != 0 && !wrote(last, lane);
        let accesses = [(AccessKind::Store, last.site, other as u32), (AccessKind::Load, access.site, lane as u32)];
        both.then_some(InStep { address, accesses })
    }

    /// The load by another lane, which runs a store as this one does, of the word that this lane stores there. None where this lane has read since then
    /// what a third party may have told it: another word than its own, or one that another lane has stored.
    fn overtaken(&self, access: &Access, lane: usize, stamp: u32) -> Option<InStep> {
        let address = access.address(lane);
        let reads = |load: &Noted, lane: usize| load.mask >> lane & 1 != 0 && load.addresses[lane] == address;
        let reader =
            |load: &Noted| (0..32).find(|&other| other != lane && access.mask >> other & 1 != 0 && reads(load, other));
        let is_now = |load: &&Noted| (load.stamp, load.function) == (stamp, access.who.function);
        let (nth, load) = self.loads.iter().enumerate().rfind(|(_, load)| is_now(load) && reader(load).is_some())?;
        let wrote = |store: &Noted, other: usize| store.mask >> other & 1 != 0 && store.addresses[other] == address;
        let by_another = self.stores.iter().any(|store| (0..32).any(|other| other != lane && wrote(store, other)));
        let told =
            self.loads[nth + 1..].iter().any(|load| load.mask >> lane & 1 != 0 && (!reads(load, lane) || by_another));
        let accesses =
            [(AccessKind::Load, load.site, reader(load)? as u32), (AccessKind::Store, access.site, lane as u32)];
        (!told).then_some(InStep { address, accesses })
    }
}
