//! Races: two threads, one address, at least one write, nothing that orders them, and not both strong enough for each other.
//!
//! Strong accesses (atomics, volatile accesses, those with an order) are no race among themselves if the scope of each
//! reaches the other, and none of them is a volatile update: reading a word and writing it back is two steps.
use super::block::BlockState;
use super::details::AccessDetails;
use super::fast::ascending::Ascending;
use super::fast::scattered::Scattered;
use super::fast::warp_access::WarpAccess;
use super::one_instruction;
use super::visit::Visit;
use crate::sanitizer::findings::finding::{Between, Cause, Kind, Misuse, Party};
use crate::sanitizer::order::geometry::Geometry;
use crate::sanitizer::order::knowledge::{MANY, When};
use crate::sanitizer::order::transfer_party::TransferParty;
use crate::sanitizer::order::warps::Warps;
use crate::sanitizer::shadow::cells::{Cell, Use};
use crate::sanitizer::shadow::contexts::{Contexts, Owner};
use crate::sanitizer::shadow::pages::Pages;
use crate::sanitizer::shadow::stretch::{Shadow, Shadows};
use machine::host::Level;
use machine::probe::{Access, AccessKind, Addresses, Order, Scope, Who, lanes};
use ptx::isa::Space;
use rustc_hash::FxHashMap;

/// The state that races need beyond the blocks themselves.
pub struct Races {
    pub(crate) level: Level,
    pub(crate) global: Pages,
    pub(crate) contexts: Contexts,
    /// First site number of each function, so that a site has one number in the launch.
    pub(crate) first_site: Vec<u32>,
    /// The strong accesses, by their site numbers.
    strong: FxHashMap<u32, Strong>,
    /// True if there is a pair of strong accesses that can be a race.
    strong_clash: bool,
    /// The issuer of a transfer of the asynchronous proxy: warp, site, and lanes.
    transfers: FxHashMap<TransferKey, (Who, u32, u32)>,
}

/// Block, warp, lane and stamp that stand for a transfer.
type TransferKey = (u32, u32, u32, u32);

/// A strong access of some site.
#[derive(Clone, Copy, Default)]
struct Strong {
    order: Order,
    atomic: bool,
    /// It has written back a value that it had read by another instruction.
    updates: bool,
}

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
            contexts: Contexts::default(),
            first_site,
            strong: FxHashMap::default(),
            strong_clash: false,
            transfers: FxHashMap::default(),
        }
    }

    /// Remembers whose a transfer is.
    pub fn note_transfer(&mut self, who: Who, site: u32, party: TransferParty, lanes: u32) {
        let key = (who.block_index as u32, party.warp, party.lane, party.stamp);
        self.transfers.insert(key, (who, site, lanes));
    }

    /// The access that made a cell of a block's shared memory: when, the block's coordinates, function and site.
    pub fn who_wrote(&self, cell: Cell, owner: Owner) -> Option<(When, [u32; 3], (u32, u32))> {
        let (when, coordinates) = self.contexts.when(owner, Space::Shared, cell)?;
        Some((when, coordinates, self.site(cell.site())))
    }

    /// The last write of some of these bytes of global memory in this launch, atomic or not.
    pub fn who_wrote_global(&mut self, address: u64, bytes: u32, owner: Owner) -> Option<(When, [u32; 3], (u32, u32))> {
        // Word by word first: of most memory that is read nothing was written.
        let word = |at: u64| (at / 4) as usize;
        if !self.global.is_written(word(address), word(address + u64::from(bytes) - 1)) {
            return None;
        }
        let mut cells = (address..address + u64::from(bytes)).flat_map(|at| {
            let (shadow, index) = self.global.of((at / 4) as usize);
            shadow.writers(index, (at % 4) as usize)
        });
        let cell = cells.find(|&cell| cell != Cell::NOBODY)?;
        let (when, coordinates) = self.contexts.when(owner, Space::Global, cell)?;
        Some((when, coordinates, self.site(cell.site())))
    }

    /// Judges an access and notes it. Gives what is wrong to `report`. `updates`: the lanes of a volatile store that write
    /// back what they have read.
    pub fn access(
        &mut self,
        block: &mut BlockState,
        (geometry, access, details): (&Geometry, &Access, AccessDetails),
        report: &mut dyn FnMut(Kind),
    ) {
        self.access_at(block, None, (geometry, access, details), report);
    }

    /// As [`access`](Self::access), to the shared memory of another block than the one that makes the access.
    #[inline(always)]
    pub fn access_at(
        &mut self,
        block: &mut BlockState,
        elsewhere: Option<(&mut Shadow, Owner)>,
        (geometry, access, details): (&Geometry, &Access, AccessDetails),
        report: &mut dyn FnMut(Kind),
    ) {
        let updates = details.updates;
        let used = Use::of(access);
        let warp = access.who.warp;
        let Some(clock) = block.warps.clocks.get(warp as usize) else { return };
        let (warp, stamp) = details.transfer.map_or((warp, clock.stamp()), |party| (party.warp, party.stamp));
        let site = self.first_site.get(access.who.function as usize).map_or(0, |first| first + access.site);
        if used.is_strong() {
            let known = self.strong.entry(site).or_default();
            *known = Strong {
                order: access.order,
                atomic: used == Use::Update,
                updates: known.updates || updates.lanes != 0,
            };
            self.strong_clash |= known.updates || access.order.scope < Scope::Device;
        }
        let who = self.contexts.who(&mut block.warps, access.space, elsewhere.is_some(), warp, stamp);
        let same = matches!(access.addresses, Addresses::Same(_)) && access.mask.count_ones() > 1;
        if same && used == Use::Write {
            one_instruction::write_clash(geometry, access).into_iter().for_each(&mut *report);
        }
        if same && updates.lanes.count_ones() > 1 {
            report(one_instruction::lost_update(geometry, access));
        }
        let (shared_shadow, owner) = elsewhere.unwrap_or((&mut block.shared, Owner::of(&block.warps)));
        let visit = Visit {
            contexts: &self.contexts,
            warps: &block.warps,
            warp: access.who.warp,
            space: access.space,
            clock: details.copy.unwrap_or(&block.warps.clocks[access.who.warp as usize]),
            owner,
            is_transfer: details.transfer.is_some(),
        };
        let shared = access.space == Space::Shared;
        let whole = Cell::new(who, site, 0);
        let shadows = (&mut *shared_shadow, &mut self.global);
        if details.transfer.is_none() && noted_at_once(self.level, access, (used, whole), shadows, &visit) {
            return;
        }
        let words = (access.bytes as usize).div_ceil(4);
        let strong_clash = self.strong_clash;
        let mut suspects = Vec::new();
        for lane in lanes(access.distinct_lanes()) {
            let address = access.address(lane);
            let noted_lane = details.transfer.map_or(lane as u64, |party| party.lane.into());
            let now = whole.of_lane(if same { MANY.into() } else { noted_lane });
            let mut judge = |cell, earlier_use: Use| {
                if strong_clash || !(used.is_strong() && earlier_use.is_strong()) {
                    suspects.push(Suspect { lane, now, cell, used, earlier_use, details });
                }
            };
            for word in (address / 4) as usize..(address / 4) as usize + words {
                let (shadow, index) = if shared { (&mut *shared_shadow, word) } else { self.global.of(word) };
                // Accesses are aligned: several whole words, or a part of one.
                if access.bytes < 4 {
                    let first = (address % 4) as usize;
                    let part = (index, first..first + access.bytes as usize);
                    shadow.access_part(part, used, now, shared, &visit, &mut judge);
                } else {
                    shadow.access(index, used, now, shared, &visit, &mut judge);
                }
            }
        }
        // The bytes of a word mostly meet one and the same.
        suspects.dedup_by_key(|suspect| (suspect.lane, suspect.cell.bits(), suspect.earlier_use));
        for suspect in suspects {
            self.judge((&block.warps, owner), (geometry, access), suspect, report);
        }
    }

    /// True if an earlier access and this one are a race.
    #[cold]
    #[inline(never)]
    fn judge(
        &self,
        (warps, owner): (&Warps, Owner),
        (geometry, access): (&Geometry, &Access),
        suspect: Suspect,
        report: &mut dyn FnMut(Kind),
    ) {
        let Suspect { lane, now, cell, used, earlier_use, .. } = suspect;
        let here = warps.index as u32;
        let Some((when, coordinates)) = self.contexts.when(owner, access.space, cell) else { return };
        let clock = suspect.details.copy.unwrap_or(&warps.clocks[access.who.warp as usize]);
        let by_transfer = self.transfers.get(&(when.block, when.warp, when.lane, when.stamp));
        let lane_of_issuer = suspect.details.transfer.map_or(now.lane(), |party| party.issuer);
        if clock.is_after(when, lane_of_issuer) {
            // Accesses of the asynchronous proxy itself need no fence, and reads need none either.
            let needs_fence = suspect.details.transfer.is_some() && by_transfer.is_none() && earlier_use == Use::Write;
            if needs_fence && !suspect.details.fences.iter().any(|fence| fence.covers(when)) {
                let first = geometry.place_of(when, coordinates, self.site(cell.site()));
                let at = geometry.place(access.who, access.site, 1 << lane_of_issuer);
                let (space, address) = (access.space, access.address(lane));
                report(Misuse::NoProxyFence { at, first, space, address }.into());
            }
            return;
        }
        let same_instruction = cell.who() == now.who() && cell.site() == now.site() && cell.lane() != now.lane();
        let mut cause = if suspect.details.copy.is_some() { Cause::Copy } else { Cause::Unordered };
        if used.is_strong() && earlier_use.is_strong() {
            let Some(wrong) = self.between_strong(&suspect, access, when.block != here) else { return };
            cause = wrong;
        }
        if used == Use::Write && earlier_use == Use::Write && is_harmless(access, &suspect, same_instruction) {
            return;
        }
        let address = access.address(lane);
        let same_word = cell.lane() < MANY && access.address(cell.lane() as usize) == address;
        if same_instruction && used == Use::Write && access.mask >> (cell.lane() & 31) & 1 != 0 && same_word {
            report(Kind::WriteClash {
                at: geometry.place(access.who, access.site, 1 << lane),
                other_lane: cell.lane(),
                space: access.space,
                address,
                bytes: access.bytes,
            });
            return;
        }
        if cause == Cause::Unordered
            && let Some((missed, (function, site))) = clock.missed(when, now.lane())
        {
            let who = Who { function, ..access.who };
            cause = Cause::Missed { missed, read: geometry.place(who, site, 1 << lane) };
        }
        let (function, site) = self.site(cell.site());
        let who = Who { function, block: coordinates, block_index: u64::from(when.block), warp: when.warp };
        let (who, site) = by_transfer.map_or((who, site), |&(who, site, _)| (who, site));
        let between = match when.block == here {
            false => Between::Blocks,
            true if who.warp != access.who.warp => Between::Warps,
            true => Between::Lanes,
        };
        // Which of several lanes it was does not matter, but it was not this one alone.
        let earlier_lanes = if cell.lane() == MANY { 1 << u32::from(lane == 0) } else { 1 << cell.lane() };
        let earlier_lanes = by_transfer.map_or(earlier_lanes, |&(_, _, lanes)| lanes);
        if by_transfer.is_some() {
            cause = Cause::Transfer;
        } else if suspect.details.transfer.is_some() {
            cause = Cause::TransferLater;
        }
        let atomic = self.strong.get(&cell.site()).is_some_and(|strong| strong.atomic);
        let kind = match earlier_use {
            Use::Read | Use::StrongRead => AccessKind::Load,
            _ if atomic => AccessKind::Atomic,
            _ => AccessKind::Store,
        };
        let issuer = suspect.details.transfer.map_or(lane as u32, |party| party.issuer);
        report(Kind::Race {
            between,
            space: access.space,
            address,
            bytes: access.bytes,
            first: Party { at: geometry.place(who, site, earlier_lanes), kind, strong: earlier_use.is_strong() },
            second: Party {
                at: geometry.place(access.who, access.site, 1 << issuer),
                kind: access.kind,
                strong: used.is_strong(),
            },
            cause,
            other_blocks: false,
        });
    }

    /// The fault between two strong accesses that nothing orders, if there is one.
    fn between_strong(&self, suspect: &Suspect, access: &Access, apart: bool) -> Option<Cause> {
        let earlier = self.strong.get(&suspect.cell.site())?;
        if earlier.order.scope.min(access.order.scope) < Scope::Device && apart {
            return Some(Cause::BlockScope);
        }
        let updates = suspect.details.updates.lanes >> suspect.lane & 1 != 0;
        let lost = suspect.earlier_use != Use::StrongRead
            && match (earlier.updates, updates) {
                (true, true) => true,
                (true, false) => suspect.used == Use::Update,
                (false, true) => earlier.atomic,
                (false, false) => false,
            };
        lost.then_some(Cause::LostUpdate)
    }

    /// Function and site of a number that [`Races::access`] made.
    fn site(&self, number: u32) -> (u32, u32) {
        let function = self.first_site.partition_point(|&first| first <= number).saturating_sub(1);
        (function as u32, number - self.first_site.get(function).copied().unwrap_or(0))
    }
}

/// An earlier access that may be a race with this one of a lane.
struct Suspect<'a> {
    lane: usize,
    now: Cell,
    cell: Cell,
    used: Use,
    earlier_use: Use,
    details: AccessDetails<'a>,
}

/// True if a store leaves what another store wrote, or writes the same in one instruction.
fn is_harmless(access: &Access, suspect: &Suspect, same_instruction: bool) -> bool {
    let (other, lane) = (suspect.cell.lane(), suspect.lane as u32);
    access.stored.is_some_and(|stored| {
        let n = access.bytes.min(16) as usize;
        if same_instruction && other < MANY && access.mask >> other & 1 != 0 {
            stored.value(other)[..n] == stored.value(lane)[..n]
        } else {
            stored.current(lane)[..n] == stored.value(lane)[..n]
        }
    })
}

/// Notes an access of a whole warp by a short way. False where there is none, or where it meets somebody.
#[inline(always)]
fn noted_at_once(
    level: Level,
    access: &Access,
    (used, whole): (Use, Cell),
    (shared_shadow, global): (&mut Shadow, &mut Pages),
    visit: &Visit,
) -> bool {
    let shared = access.space == Space::Shared;
    if let (Addresses::Dense(first), u32::MAX) = (access.addresses, access.mask) {
        let word = (first / 4) as usize;
        let (shadow, index) = if shared { (&mut *shared_shadow, word) } else { global.of(word) };
        let words_per_lane = access.bytes as usize / 4;
        let all = WarpAccess { used, first: index, words_per_lane, now: whole, reads_clash: shared };
        let noted = match access.bytes {
            4.. => shadow.access_by_warp(level, all, visit),
            bytes => {
                let first = 4 * index + (first % 4) as usize;
                let all = WarpAccess { first, words_per_lane: bytes as usize, ..all };
                shadow.bytes_by_warp(level, all, visit)
            }
        };
        if noted {
            return true;
        }
    }
    if let (Addresses::Each(addresses), true, u32::MAX, 4) = (access.addresses, shared, access.mask, access.bytes) {
        let ascending = Ascending { addresses, used, now: whole, reads_clash: true };
        if shared_shadow.access_ascending(level, ascending, visit) == Some(true) {
            return true;
        }
    }
    if let (Addresses::Each(addresses), Use::Read, 4..) = (access.addresses, used, access.bytes) {
        let each = Scattered { addresses, mask: access.mask, words: access.bytes / 4, now: whole, reads_clash: shared };
        let noted = if shared { each.read(shared_shadow, visit) } else { each.read(global, visit) };
        if noted {
            return true;
        }
    }
    false
}
