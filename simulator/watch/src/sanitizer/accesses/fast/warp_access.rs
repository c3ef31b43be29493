//! Accesses of a full warp to neighbouring words, noted at once: such an access meets what one access made in one comparison, and what
//! several made by a few vector instructions.
use crate::sanitizer::shadow::cells::{Cell, Use};
use crate::sanitizer::shadow::role_cells::{Lanes, Made, ROW, RoleCells};
use crate::sanitizer::shadow::stretch::{Parties, Shadow};
use machine::host::Level;

/// An access of a full warp to neighbouring words.
#[derive(Clone, Copy)]
pub struct WarpAccess {
    pub used: Use,
    /// Lane 0's first word.
    pub first: usize,
    /// 1, 2 or 4, of bytes also 8 or 16; lane *i* has those from `first + i · words_per_lane` on.
    pub words_per_lane: usize,
    /// Lane 0's, of whole words.
    pub now: Cell,
    /// True if weak reads and strong writes conflict, as they do in shared memory.
    pub reads_clash: bool,
}

impl Shadow {
    /// As [`access_by_warp`](Self::access_by_warp), by bytes in the place of words.
    pub fn bytes_by_warp(&mut self, level: Level, access: WarpAccess, parties: &impl Parties) -> bool {
        let end = (access.first + ROW * access.words_per_lane).div_ceil(4);
        end <= self.words && self.in_bytes(access.first / 4..end).access_by_warp(level, access, parties)
    }

    /// Notes what a full warp does. `false`: nothing is noted, because of words that are not there, or because an earlier
    /// access may conflict: one that is neither ordered nor the same thread's.
    #[inline]
    #[allow(unsafe_code)]
    pub fn access_by_warp(&mut self, level: Level, access: WarpAccess, parties: &impl Parties) -> bool {
        let noted = match level {
            // SAFETY: `Level::detect` found these instructions.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512(self, access, parties) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2(self, access, parties) },
            _ => note(self, access, parties),
        };
        let WarpAccess { first, words_per_lane, .. } = access;
        if noted || !self.any_in_bytes(first..first + ROW * words_per_lane) {
            return noted;
        }
        self.bytes_by_warp(
            level,
            WarpAccess { first: 4 * first, words_per_lane: 4 * words_per_lane, ..access },
            parties,
        )
    }
}

impl Shadow {
    /// Notes what a full warp reads, one word a lane from `first` on, if that is a row and each role has it from one access.
    /// `false`: nothing is noted.
    #[inline(always)]
    pub fn read_row(&mut self, first: usize, now: Cell, reads_clash: bool, parties: &impl Parties) -> bool {
        let (words, row, now) = (self.words, first / ROW, Made { first: now, lanes: Lanes::Each(0) });
        let [writer, reader, older, strong, _] = &mut self.roles;
        let meets_nobody = |role: &RoleCells| role.made(row).is_some_and(|made| is_harmless(made, now, parties));
        first.is_multiple_of(ROW)
            && first + ROW <= words
            && meets_nobody(writer)
            && (!reads_clash || meets_nobody(strong))
            && read_made(reader, older, row, now, words, parties)
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2")]
unsafe fn avx512(shadow: &mut Shadow, access: WarpAccess, parties: &impl Parties) -> bool {
    note(shadow, access, parties)
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[target_feature(enable = "avx2,bmi1,bmi2")]
unsafe fn avx2(shadow: &mut Shadow, access: WarpAccess, parties: &impl Parties) -> bool {
    note(shadow, access, parties)
}

#[inline(always)]
fn note(shadow: &mut Shadow, access: WarpAccess, parties: &impl Parties) -> bool {
    let words = shadow.words;
    if access.first + ROW * access.words_per_lane > words || access.used.is_strong() {
        return false;
    }
    let [writer, reader, older, strong, strong_reader] = &mut shadow.roles;
    if access.used == Use::Read {
        let fine = meets_nobody(writer, access, words, parties);
        if !fine || access.reads_clash && !meets_nobody(strong, access, words, parties) {
            return false;
        }
        for (first, now) in pieces(access) {
            read(reader, older, first, now, words, parties);
        }
        return true;
    }
    for role in [&mut *writer, reader, older, strong, strong_reader] {
        if !meets_nobody(role, access, words, parties) {
            return false;
        }
    }
    for (first, now) in pieces(access) {
        for role in [&mut *reader, older, strong, strong_reader] {
            make(role, first, Made::NOBODY, words);
        }
        make(writer, first, now, words);
    }
    true
}

#[inline(always)]
fn make(role: &mut RoleCells, first: usize, now: Made, words: usize) {
    if first.is_multiple_of(ROW) {
        role.make(first / ROW, now, words);
    } else if !(role.is_empty() && now == Made::NOBODY) {
        now.write(role.across(first, words));
    }
}

/// Notes a read of 32 words from `first` on; who read them last is kept as the reader before, unless that one says more.
#[inline(always)]
fn read(reader: &mut RoleCells, older: &mut RoleCells, first: usize, now: Made, words: usize, parties: &impl Parties) {
    if first.is_multiple_of(ROW) && read_made(reader, older, first / ROW, now, words, parties) {
        return;
    }
    let latest = reader.across(first, words);
    // Where there are older readers, moving a row on costs no more than asking whether it must be.
    if !older.is_empty() || others(latest, now) {
        keep_others(older.across(first, words), latest, now, parties);
    }
    make(reader, first, now, words);
}

/// Notes a read of a whole row where that is one comparison. `false`: nothing is noted.
#[inline(always)]
fn read_made(
    reader: &mut RoleCells,
    older: &mut RoleCells,
    row: usize,
    now: Made,
    words: usize,
    parties: &impl Parties,
) -> bool {
    let Some(latest) = reader.made(row) else { return false };
    if latest != Made::NOBODY && !latest.same_threads(now) {
        let Some(before) = older.made(row) else { return false };
        if latest.first.who() == now.first.who() {
            return false;
        }
        if !parties.stays(before.first, latest.first) {
            older.make(row, latest, words);
        }
    }
    reader.make(row, now, words);
    true
}

/// True if a row that one access made does not conflict with what is done now.
#[inline(always)]
fn is_harmless(made: Made, now: Made, parties: &impl Parties) -> bool {
    made == Made::NOBODY || parties.ordered(made.first) || made.same_threads(now)
}

/// True if nothing in the role conflicts with the access.
#[inline(always)]
fn meets_nobody(role: &mut RoleCells, access: WarpAccess, words: usize, parties: &impl Parties) -> bool {
    if role.is_empty() {
        return true;
    }
    pieces(access).all(|(first, now)| match role.made(first / ROW) {
        Some(made) if first.is_multiple_of(ROW) => is_harmless(made, now, parties),
        _ => harmless(role.across(first, words), now, parties),
    })
}

/// The pieces of 32 words of an access: each's first word and what it is given, in their order.
#[inline(always)]
fn pieces(access: WarpAccess) -> impl Iterator<Item = (usize, Made)> {
    let shift = access.words_per_lane.trailing_zeros() as u8;
    (0..1usize << shift).map(move |piece| {
        let first = access.now.of_lane((piece as u64 * ROW as u64) >> shift);
        (access.first + piece * ROW, Made { first, lanes: Lanes::Each(shift) })
    })
}

/// True if no earlier access in the words conflicts with what is done now.
#[inline(always)]
fn harmless(cells: &[Cell; ROW], now: Made, parties: &impl Parties) -> bool {
    // Nearly always one access of a warp was the last in all of them, or none was: seen without a look at each.
    let (mut any, mut all) = (0, !0);
    for cell in cells {
        any |= cell.bits();
        all &= cell.bits();
    }
    if any == 0 || (any ^ all) >> 32 == 0 && parties.ordered(cells[0]) {
        return true;
    }
    one_by_one(cells, now, parties)
}

#[inline(never)]
fn one_by_one(cells: &[Cell; ROW], now: Made, parties: &impl Parties) -> bool {
    let mut known = 0;
    cells.iter().zip(now.lanes()).all(|(cell, &lane)| {
        if cell.who() == known || cell.who() == 0 || cell.same_thread(now.first.of_lane(lane)) {
            return true;
        }
        let harmless = parties.ordered(*cell);
        known = if harmless { cell.who() } else { known };
        harmless
    })
}

/// True if any word was last read by somebody else than who reads it now.
#[inline(always)]
fn others(latest: &[Cell; ROW], now: Made) -> bool {
    let (mut any, mut differ) = (0, 0);
    for (cell, &lane) in latest.iter().zip(now.lanes()) {
        any |= cell.bits();
        differ |= cell.other_thread(now.first.of_lane(lane));
    }
    any != 0 && differ != 0
}

/// Makes those who read last the readers before, where now somebody else reads, and those before do not say more.
#[inline(always)]
fn keep_others(older: &mut [Cell; ROW], latest: &[Cell; ROW], now: Made, parties: &impl Parties) {
    match (same_party(older), same_party(latest)) {
        (Some(Cell::NOBODY), Some(_)) => {}
        (Some(before), Some(last)) if last == Cell::NOBODY || parties.stays(before, last) => return,
        (Some(_), Some(_)) => {}
        _ => {
            for ((older, latest), &lane) in older.iter_mut().zip(latest).zip(now.lanes()) {
                let same = *latest == Cell::NOBODY || latest.same_thread(now.first.of_lane(lane));
                *older = if same || parties.stays(*older, *latest) { *older } else { *latest };
            }
            return;
        }
    }
    for ((older, latest), &lane) in older.iter_mut().zip(latest).zip(now.lanes()) {
        *older = if latest.same_thread(now.first.of_lane(lane)) { *older } else { *latest };
    }
}

/// One of the cells, if all were made by one warp at one time, or none was made.
#[inline(always)]
pub(crate) fn same_party(cells: &[Cell]) -> Option<Cell> {
    let (mut any, mut all) = (0, !0);
    for cell in cells {
        any |= cell.bits();
        all &= cell.bits();
    }
    ((any ^ all) >> 32 == 0).then_some(cells[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitizer::shadow::stretch::tests::{Below, levels, random, shadow_of};

    /// Random accesses by full warps, noted all at once where that is allowed, and word by word: the shadows are the same
    /// at any time, and all is noted at once that meets nobody word by word.
    #[test]
    fn a_warp_at_once_is_its_lanes_one_by_one() {
        let words = 200;
        let levels = levels();
        let (mut quick, mut slow) = (shadow_of(words), shadow_of(words));
        let mut next = random(1u64);
        let (mut at_once, mut refused) = (0, 0);
        for round in 0..20_000u32 {
            let words_per_lane = 1 << next(3);
            let used = [Use::Read, Use::Read, Use::Write, Use::Update][next(4) as usize];
            let first = next(4) as usize * if next(2) == 0 { 1 } else { 16 };
            let lanes = if next(3) == 0 { next(32) + 1 } else { 32 };
            let (who, site, reads_clash) = (1 + round / 6 * 3 + next(3) as u32, next(4) as u32, next(2) == 0);
            let parties = Below(1 + round / 6 * 3);
            let now = |lane: u64| Cell::new(who, site, lane as u32);
            let access = WarpAccess { used, first, words_per_lane, now: now(0), reads_clash };
            let level = levels[next(levels.len() as u64) as usize];
            let in_parts = next(8) == 0;
            let (access, bytes) = match in_parts {
                true => (WarpAccess { first: 4 * first, words_per_lane: 1 << (words_per_lane / 4), ..access }, 1),
                false => (access, 4),
            };
            let noted = lanes == 32
                && match in_parts {
                    true => quick.bytes_by_warp(level, access, &parties),
                    false => quick.access_by_warp(level, access, &parties),
                };
            let mut met = false;
            for (lane, word) in (0..lanes).flat_map(|lane| (0..access.words_per_lane).map(move |word| (lane, word))) {
                let at = (access.first + lane as usize * access.words_per_lane + word) * bytes;
                let place = (at / 4, at % 4..at % 4 + bytes);
                let one = |shadow: &mut Shadow, judge: &mut dyn FnMut(Cell, Use)| match in_parts {
                    true => shadow.access_part(place.clone(), used, now(lane), reads_clash, &parties, judge),
                    false => shadow.access(place.0, used, now(lane), reads_clash, &parties, judge),
                };
                one(&mut slow, &mut |_, _| met = true);
                if !noted {
                    one(&mut quick, &mut |_, _| ());
                }
            }
            assert_eq!(noted, lanes == 32 && !used.is_strong() && !met, "round {round}");
            at_once += u32::from(noted);
            refused += u32::from(lanes == 32 && !noted);
            for role in 0..5 {
                let cells =
                    |shadow: &Shadow| (0..4 * words).map(|at| shadow.cell(role, at / 4, at % 4)).collect::<Vec<_>>();
                assert_eq!(cells(&quick), cells(&slow), "round {round}, role {role}");
            }
        }
        assert!(at_once > 1000 && refused > 1000, "{at_once} {refused}");
    }

    /// Random accesses, mostly of whole rows, by warps that come again: reads noted by the row where that is allowed, and all of it
    /// word by word.
    #[test]
    fn a_row_at_once_is_its_words_one_by_one() {
        let words = 3 * ROW + 5;
        let (mut quick, mut slow) = (shadow_of(words), shadow_of(words));
        let mut next = random(7u64);
        let uses = [Use::Read, Use::Read, Use::Read, Use::Read, Use::Write, Use::StrongRead, Use::Update];
        let (mut rows, mut refused) = (0, 0);
        for round in 0..20_000u32 {
            // Five parties take turns; the last three are not ordered before the others.
            let (who, least) = (1 + round / 40 * 5 + next(5) as u32, 1 + round / 40 * 5 + 2);
            let (site, reads_clash, parties) = (next(4) as u32, next(2) == 0, Below(least));
            let used = if round % 40 == 0 { Use::Write } else { uses[next(uses.len() as u64) as usize] };
            let first = if next(8) == 0 { next(8) as usize } else { ROW * next(4) as usize };
            let now = |lane: usize| Cell::new(who, site, lane as u32);
            let noted = used == Use::Read && quick.read_row(first, now(0), reads_clash, &parties);
            let mut met = false;
            // A strong access comes one by one in both, to a single word.
            let lanes = if used.is_strong() { 1 } else { ROW };
            for lane in 0..lanes {
                slow.access(first + lane, used, now(lane), reads_clash, &parties, |_, _| met = true);
                if !noted && (lanes == 1 || used == Use::Read) {
                    quick.access(first + lane, used, now(lane), reads_clash, &parties, |_, _| ());
                }
            }
            if used == Use::Write {
                let access = WarpAccess { used, first, words_per_lane: 1, now: now(0), reads_clash };
                if !quick.access_by_warp(Level::detect(), access, &parties) {
                    (0..ROW).for_each(|lane| {
                        quick.access(first + lane, used, now(lane), reads_clash, &parties, |_, _| ());
                    });
                }
            }
            assert!(!(noted && met), "round {round}");
            rows += u32::from(noted);
            refused += u32::from(used == Use::Read && !noted && first.is_multiple_of(ROW));
            for role in 0..5 {
                let cells = |shadow: &Shadow| (0..words).map(|at| shadow.roles[role].get(at)).collect::<Vec<_>>();
                assert_eq!(cells(&quick), cells(&slow), "round {round}, role {role}");
            }
        }
        assert!(rows > 400 && refused > 400, "{rows} {refused}");
    }

    #[test]
    fn words_that_are_not_there_are_not_touched() {
        let mut shadow = shadow_of(40);
        let access = |first| WarpAccess {
            used: Use::Write,
            first,
            words_per_lane: 1,
            now: Cell::new(1, 0, 0),
            reads_clash: true,
        };
        assert!(shadow.access_by_warp(Level::detect(), access(8), &Below(0)));
        assert!(!shadow.access_by_warp(Level::detect(), access(9), &Below(9)));
        shadow.access(40, Use::Write, Cell::new(2, 0, 0), true, &Below(0), |_, _| panic!("there is no such word"));
    }
}
