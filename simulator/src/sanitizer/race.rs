//! Races: two threads, one address, at least one plain write, and nothing that orders them.
use super::block::{BlockState, Shape, Warps};
use super::cells::{Cell, Use};
use super::clock::{MANY, Published, When};
use super::finding::{Between, Kind, Party};
use super::pages::Pages;
use super::shadow::Row;
use crate::host::Level;
use crate::isa::Space;
use crate::probe::{Access, AccessKind, Addresses, Phase, PhaseAct, Strength, Who, lanes};
use std::collections::HashMap;

/// What races need beyond the blocks themselves.
pub struct Races {
    level: Level,
    global: Pages,
    /// Who a number in a cell of global memory is.
    contexts: Vec<Context>,
    /// What was published where, by global address.
    published: HashMap<u64, Published>,
    /// First site number of each function, so that a site has one number in the launch.
    first_site: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Context {
    block: u32,
    coordinates: [u32; 3],
    warp: u32,
    stamp: u32,
}

/// Bits of a stamp in a cell of shared memory; the warp is above it.
const STAMP_BITS: u32 = 26;

impl Default for Races {
    fn default() -> Self {
        Self::new(std::iter::empty())
    }
}

impl Races {
    /// For a program with so many sites in each function.
    pub fn new(sites: impl Iterator<Item = usize>) -> Self {
        let mut next = 0u32;
        let first_site = sites
            .map(|count| {
                let first = next;
                next = next.saturating_add(count as u32);
                first
            })
            .collect();
        Self {
            level: Level::detect(),
            global: Pages::default(),
            contexts: Vec::new(),
            published: HashMap::new(),
            first_site,
        }
    }

    /// Judges an access, notes it, and passes on what its order says. Gives what is wrong to `report`.
    pub fn access(&mut self, block: &mut BlockState, shape: &Shape, access: &Access, report: &mut dyn FnMut(Kind)) {
        let used = match (access.kind, access.order) {
            (AccessKind::Atomic, _) => Use::Atomic,
            (_, order) if !order.is_weak() => Use::Atomic,
            (AccessKind::Load, _) => Use::Read,
            (AccessKind::Store, _) => Use::Write,
        };
        if used == Use::Atomic {
            self.synchronise(block, access);
        }
        let warp = access.who.warp;
        let Some(clock) = block.warps.clocks.get(warp as usize) else { return };
        let stamp = clock.stamp();
        let site = self.first_site.get(access.who.function as usize).map_or(0, |first| first + access.site);
        let context = if access.space == Space::Global {
            self.context(block, access.who, stamp)
        } else {
            (warp + 1) << STAMP_BITS | stamp & ((1 << STAMP_BITS) - 1)
        };
        let same = matches!(access.addresses, Addresses::Same(_)) && access.mask.count_ones() > 1;
        if same && used == Use::Write {
            clash(shape, access, report);
        }
        if let (Addresses::Dense(first), u32::MAX, 4 | 8 | 16) = (access.addresses, access.mask, access.bytes)
            && self.row(block, access, used, first, Cell::new(context, site, 0, 0xf))
        {
            return;
        }
        let shared = access.space == Space::Shared;
        let whole = Cell::new(context, site, 0, 0xf);
        for lane in lanes(access.distinct_lanes()) {
            let address = access.address(lane);
            // Accesses are aligned: several whole words, or a part of one.
            let part = || Cell::new(context, site, 0, ((1 << access.bytes) - 1) << (address % 4));
            let now = if access.bytes < 4 { part() } else { whole };
            let now = now.of_lane(if same { MANY.into() } else { lane as u64 });
            for index in (address / 4) as usize..(address / 4) as usize + (access.bytes as usize).div_ceil(4) {
                let mut suspects = Vec::new();
                let judge = |cell: Cell, used: Use| {
                    if !is_before_all(&self.contexts, &block.warps, access, cell) {
                        suspects.push((cell, used));
                    }
                };
                let (shadow, index) = if shared { (&mut block.shared, index) } else { self.global.of(index) };
                shadow.access(index, used, now, shared, judge);
                for (cell, earlier_use) in suspects {
                    self.judge(&block.warps, shape, access, lane, now, cell, (earlier_use, used), report);
                }
            }
        }
    }

    /// Notes the access of a full warp to neighbouring words, if nothing can be wrong with it.
    #[inline]
    fn row(&mut self, block: &mut BlockState, access: &Access, used: Use, first: u64, now: Cell) -> bool {
        let reads_clash = access.space == Space::Shared;
        let word = (first / 4) as usize;
        let (shadow, first) = if reads_clash { (&mut block.shared, word) } else { self.global.of(word) };
        let row = Row { used, first, words_per_lane: access.bytes as usize / 4, now, reads_clash };
        shadow.access_row(self.level, row, |cell| is_before_all(&self.contexts, &block.warps, access, cell))
    }

    /// Whether an earlier access and this one are a race.
    #[cold]
    #[inline(never)]
    #[allow(clippy::too_many_arguments, reason = "one call, from the innermost loop")]
    fn judge(
        &self,
        warps: &Warps,
        shape: &Shape,
        access: &Access,
        lane: usize,
        now: Cell,
        cell: Cell,
        (earlier_use, used): (Use, Use),
        report: &mut dyn FnMut(Kind),
    ) {
        let here = warps.index as u32;
        let Some((when, coordinates)) = when(&self.contexts, warps, access.space, cell) else { return };
        let clock = &warps.clocks[access.who.warp as usize];
        if clock.is_after(when, here, access.who.warp, now.lane()) {
            return;
        }
        let same_instruction = cell.who() == now.who() && cell.site() == now.site() && cell.lane() != now.lane();
        if used == Use::Write && earlier_use == Use::Write {
            let harmless = access.stored.is_some_and(|stored| {
                let n = access.bytes.min(16) as usize;
                if same_instruction && cell.lane() < 32 && access.mask >> cell.lane() & 1 != 0 {
                    stored.value(cell.lane())[..n] == stored.value(lane as u32)[..n]
                } else {
                    stored.current(lane as u32)[..n] == stored.value(lane as u32)[..n]
                }
            });
            if harmless {
                return;
            }
        }
        let address = access.address(lane);
        let twin = cell.lane() < MANY && access.address(cell.lane() as usize) == address;
        if same_instruction && used == Use::Write && access.mask >> (cell.lane() & 31) & 1 != 0 && twin {
            report(Kind::WriteClash {
                at: shape.place(access.who, access.site, 1 << lane),
                other_lane: cell.lane(),
                space: access.space,
                address,
                bytes: access.bytes,
            });
            return;
        }
        let between = match () {
            () if when.block != here => Between::Blocks,
            () if when.warp != access.who.warp => Between::Warps,
            () => Between::Lanes,
        };
        let (function, site) = self.site(cell.site());
        let who = Who { function, block: coordinates, block_index: u64::from(when.block), warp: when.warp };
        // Which of several lanes it was does not matter, but it was not this one alone.
        let earlier_lanes = if cell.lane() == MANY { 1 << u32::from(lane == 0) } else { 1 << cell.lane() };
        report(Kind::Race {
            between,
            space: access.space,
            address,
            bytes: access.bytes,
            first: Party { at: shape.place(who, site, earlier_lanes), kind: access_kind(earlier_use) },
            second: Party { at: shape.place(access.who, access.site, 1 << lane), kind: access.kind },
        });
    }

    /// The number under which a warp's accesses are noted until its stamp changes.
    fn context(&mut self, block: &mut BlockState, who: Who, stamp: u32) -> u32 {
        let entry = &mut block.contexts[who.warp as usize];
        if entry.0 == 0 || entry.1 != stamp {
            self.contexts.push(Context {
                block: block.warps.index as u32,
                coordinates: block.warps.coordinates,
                warp: who.warp,
                stamp,
            });
            *entry = (self.contexts.len() as u32, stamp);
        }
        entry.0
    }

    /// An atomic or volatile access learns what was published at its addresses, and publishes.
    #[inline(never)]
    fn synchronise(&mut self, block: &mut BlockState, access: &Access) {
        let warp = access.who.warp;
        let here = block.warps.index as u32;
        let Some(clock) = block.warps.clocks.get_mut(warp as usize) else { return };
        let (reads, writes) = (access.kind != AccessKind::Store, access.kind != AccessKind::Load);
        let release = matches!(access.order.strength, Strength::Release | Strength::AcquireRelease);
        let device = access.space == Space::Global;
        let all = if device { &mut self.published } else { &mut block.published };
        for lane in lanes(access.distinct_lanes()) {
            let address = access.address(lane);
            if reads && let Some(published) = all.get(&address) {
                clock.learn(here, published);
            }
            if writes {
                let mut published = all.remove(&address);
                clock.publish(here, warp, release, device, &mut published);
                if let Some(published) = published {
                    all.insert(address, published);
                }
            }
        }
    }

    /// Arrivals at an `mbarrier` publish, and those that find its phase over learn.
    pub fn phase(&mut self, block: &mut BlockState, phase: &Phase) {
        let warp = phase.who.warp;
        let here = block.warps.index as u32;
        let Some(clock) = block.warps.clocks.get_mut(warp as usize) else { return };
        let releases = phase.order.strength == Strength::Release;
        for lane in lanes(phase.mask) {
            let address = phase.addresses[lane];
            match phase.act {
                PhaseAct::Init | PhaseAct::Invalidate => {
                    block.published.remove(&address);
                }
                PhaseAct::Arrive { .. } => {
                    let mut published = block.published.remove(&address);
                    clock.publish(here, warp, releases, false, &mut published);
                    if let Some(published) = published {
                        block.published.insert(address, published);
                    }
                }
                PhaseAct::Test { over } if over >> lane & 1 != 0 => {
                    if let Some(published) = block.published.get(&address) {
                        clock.learn(here, published);
                    }
                }
                PhaseAct::Test { .. } => {}
            }
        }
    }

    /// Function and site of a number that [`Races::access`] made.
    fn site(&self, number: u32) -> (u32, u32) {
        let function = self.first_site.partition_point(|&first| first <= number).saturating_sub(1);
        (function as u32, number - self.first_site.get(function).copied().unwrap_or(0))
    }
}

/// Whether all that a cell's warp did when it carried the cell's stamp comes before this access, whatever the lanes.
#[inline]
fn is_before_all(contexts: &[Context], warps: &Warps, access: &Access, cell: Cell) -> bool {
    let Some((when, _)) = when(contexts, warps, access.space, cell) else { return false };
    warps.clocks[access.who.warp as usize].is_after_all(when, warps.index as u32, access.who.warp)
}

/// Who a cell is and when, with the coordinates of the block.
#[inline]
fn when(contexts: &[Context], warps: &Warps, space: Space, cell: Cell) -> Option<(When, [u32; 3])> {
    if space == Space::Global {
        let who = contexts.get((cell.who() as usize).checked_sub(1)?)?;
        let when = When { block: who.block, warp: who.warp, lane: cell.lane(), stamp: who.stamp };
        return Some((when, who.coordinates));
    }
    let (warp, stamp) = ((cell.who() >> STAMP_BITS).checked_sub(1)?, cell.who() & ((1 << STAMP_BITS) - 1));
    Some((When { block: warps.index as u32, warp, lane: cell.lane(), stamp }, warps.coordinates))
}

fn access_kind(used: Use) -> AccessKind {
    match used {
        Use::Read => AccessKind::Load,
        Use::Write => AccessKind::Store,
        Use::Atomic => AccessKind::Atomic,
    }
}

/// All lanes of one store write to one address: do they write one value?
#[inline(never)]
fn clash(shape: &Shape, access: &Access, report: &mut dyn FnMut(Kind)) {
    let Some(stored) = access.stored else { return };
    let n = access.bytes.min(16) as usize;
    let first = access.mask.trailing_zeros();
    let value = stored.value(first);
    let other = lanes(access.mask).find(|&lane| stored.value(lane as u32)[..n] != value[..n]);
    if let Some(other) = other {
        report(Kind::WriteClash {
            at: shape.place(access.who, access.site, access.mask),
            other_lane: other as u32,
            space: access.space,
            address: access.address(first as usize),
            bytes: access.bytes,
        });
    }
}
