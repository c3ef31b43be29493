//! Accesses of a full warp, a word a lane, to words that ascend or do in a few pieces, such as a column of a tile or parts of its rows.
//! No word comes twice in a piece, so its cells are taken out, judged and put back together.
use super::warp_access::same_party;
use crate::sanitizer::shadow::cells::{Cell, Use};
use crate::sanitizer::shadow::contexts::STAMP_BITS;
use crate::sanitizer::shadow::role_cells::{ROW, RoleCells};
use crate::sanitizer::shadow::stretch::{Parties, Shadow};
use machine::host::Level;

/// Pieces in which words ascend, at the most: with more of them the lanes are looked at one by one.
const MAX_ASCENDING_RUNS: u32 = 4;

/// Such an access.
#[derive(Clone, Copy)]
pub struct Ascending<'a> {
    pub addresses: &'a [u64; 32],
    /// A read or a write.
    pub used: Use,
    /// Lane 0's, of whole words.
    pub now: Cell,
    /// True if weak reads and strong writes conflict, as they do in shared memory.
    pub reads_clash: bool,
}

impl Shadow {
    /// Notes such an access. `None`: nothing is noted, because it is none, because of words that are not there, or because strong accesses may
    /// have to be met as well. `false`: nothing is noted, because an earlier access may conflict.
    #[inline]
    #[allow(unsafe_code)]
    pub fn access_ascending(&mut self, level: Level, access: Ascending, parties: &impl Parties) -> Option<bool> {
        match level {
            // SAFETY: `Level::detect` found these instructions.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512(self, access, parties) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2(self, access, parties) },
            _ => note(self, access, parties),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2")]
unsafe fn avx512(shadow: &mut Shadow, access: Ascending, parties: &impl Parties) -> Option<bool> {
    note(shadow, access, parties)
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[target_feature(enable = "avx2,bmi1,bmi2")]
unsafe fn avx2(shadow: &mut Shadow, access: Ascending, parties: &impl Parties) -> Option<bool> {
    note(shadow, access, parties)
}

#[inline(always)]
fn note(shadow: &mut Shadow, access: Ascending, parties: &impl Parties) -> Option<bool> {
    let (mut words, mut any, mut last) = ([0i32; ROW], 0, 0);
    for (word, address) in words.iter_mut().zip(access.addresses) {
        any |= address;
        *word = (address / 4) as i32;
        last = last.max(*word);
    }
    // Counted, and only found where there are some: nearly always there is none.
    let falls = (1..ROW).map(|lane| u32::from(words[lane] <= words[lane - 1])).sum::<u32>();
    if falls >= MAX_ASCENDING_RUNS || any >> 32 != 0 || last as usize >= shadow.words {
        return None;
    }
    let mut begins = 1u32;
    if falls > 0 {
        (1..ROW).for_each(|lane| begins |= u32::from(words[lane] <= words[lane - 1]) << lane);
    }
    match access.used {
        Use::Read => read(shadow, &words, begins, access, parties),
        // Lanes of different pieces may write to one word.
        Use::Write if falls == 0 => write(shadow, &words, access.now, parties),
        _ => None,
    }
}

/// Notes a read in pieces that begin with some lanes.
#[inline(always)]
fn read(
    shadow: &mut Shadow,
    words: &[i32; ROW],
    mut begins: u32,
    access: Ascending,
    parties: &impl Parties,
) -> Option<bool> {
    let (all, now) = (shadow.words, access.now);
    let [writer, reader, older, strong, _] = &mut shadow.roles;
    if access.reads_clash && !strong.is_empty() {
        return None;
    }
    if !is_after(writer, words, now, all, parties) {
        return Some(false);
    }
    while begins != 0 {
        let first = begins.trailing_zeros() as usize;
        begins &= begins - 1;
        let end = if begins == 0 { ROW } else { begins.trailing_zeros() as usize };
        let (words, now) = (&words[first..end], now.of_lane(first as u64));
        keep_others(reader, older, words, now, all, parties);
        reader.scatter(words, of_lanes(now), all);
    }
    Some(true)
}

/// Notes a write to words of which none comes twice.
#[inline(always)]
fn write(shadow: &mut Shadow, words: &[i32; ROW], now: Cell, parties: &impl Parties) -> Option<bool> {
    let all = shadow.words;
    let [writer, reader, older, strong, strong_reader] = &mut shadow.roles;
    if !strong.is_empty() || !strong_reader.is_empty() {
        return None;
    }
    for role in [&mut *writer, reader, older] {
        if !is_after(role, words, now, all, parties) {
            return Some(false);
        }
    }
    for role in [reader, older] {
        if !role.is_empty() {
            role.scatter(words, std::iter::repeat(Cell::NOBODY), all);
        }
    }
    writer.scatter(words, of_lanes(now), all);
    Some(true)
}

/// True if nobody in the role conflicts with who comes now.
#[inline(always)]
fn is_after(role: &mut RoleCells, words: &[i32; ROW], now: Cell, all: usize, parties: &impl Parties) -> bool {
    if role.is_empty() {
        return true;
    }
    let mut cells = [Cell::NOBODY; ROW];
    role.gather(words, all, &mut cells);
    if let Some(one) = same_party(&cells) {
        return one == Cell::NOBODY
            || parties.ordered(one)
            || cells.iter().zip(of_lanes(now)).all(|(cell, now)| cell.same_thread(now));
    }
    // Warps that were found to be ordered, by some bits of the number: a column was written by a few in turn.
    let mut ordered = [0; 8];
    cells.iter().zip(of_lanes(now)).all(|(cell, now)| {
        let who = cell.who();
        let known = &mut ordered[(who >> STAMP_BITS ^ who) as usize % 8];
        if who == 0 || *known == who || cell.same_thread(now) {
            return true;
        }
        *known = who;
        parties.ordered(*cell)
    })
}

/// A lane's cell and those of the lanes after it.
fn of_lanes(first: Cell) -> impl Iterator<Item = Cell> {
    (0..).map(move |lane| first.of_lane(lane))
}

/// Makes those who read words last the readers before, where now somebody else reads, and those before do not say more.
#[inline(always)]
fn keep_others(
    reader: &mut RoleCells,
    older: &mut RoleCells,
    words: &[i32],
    now: Cell,
    all: usize,
    parties: &impl Parties,
) {
    if reader.is_empty() {
        return;
    }
    let (mut latest, mut before) = ([Cell::NOBODY; ROW], [Cell::NOBODY; ROW]);
    let (latest, before) = (&mut latest[..words.len()], &mut before[..words.len()]);
    reader.gather(words, all, latest);
    if latest.iter().fold(0, |any, cell| any | cell.bits()) == 0 {
        return;
    }
    older.gather(words, all, before);
    // Mostly all say as much as the first.
    let stay = match (same_party(before), same_party(latest)) {
        (Some(before), Some(latest)) => Some(parties.stays(before, latest)),
        _ => None,
    };
    if stay == Some(true) {
        return;
    }
    for (((&word, &mut latest), &mut before), now) in words.iter().zip(latest).zip(before).zip(of_lanes(now)) {
        let other = latest != Cell::NOBODY && !latest.same_thread(now);
        if other && (stay == Some(false) || !parties.stays(before, latest)) {
            older.set(word as usize, latest, all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitizer::shadow::stretch::tests::{Below, levels, random, shadow_of};

    /// Random reads and writes of columns and parts of rows, noted together where that is allowed, and word by word: the shadows are the
    /// same at any time.
    #[test]
    fn together_is_one_by_one() {
        let words = 200;
        let levels = levels();
        let (mut quick, mut slow) = (shadow_of(words), shadow_of(words));
        let mut next = random(1u64);
        let mut together = [[0; 2]; 2];
        for round in 0..20_000u32 {
            let (who, site, reads_clash) = (1 + round / 6 * 3 + next(3) as u32, next(4) as u32, next(2) == 0);
            let parties = Below(1 + round / 6 * 3);
            let used = [Use::Read, Use::Write][next(2) as usize];
            let (first, step, piece) = (next(8), 1 + next(6), [8, 16, 32, 32][next(4) as usize]);
            let addresses = std::array::from_fn(|lane| 4 * (first + lane as u64 % piece * step));
            let now = Cell::new(who, site, 0);
            let ascending = Ascending { addresses: &addresses, used, now, reads_clash };
            let level = levels[next(levels.len() as u64) as usize];
            let noted = quick.access_ascending(level, ascending, &parties) == Some(true);
            let mut met = false;
            for (address, own) in addresses.iter().zip(of_lanes(now)) {
                let index = (address / 4) as usize;
                slow.access(index, used, own, reads_clash, &parties, |_, _| met = true);
                if !noted {
                    quick.access(index, used, own, reads_clash, &parties, |_, _| ());
                }
            }
            assert!(!(noted && met), "round {round}");
            assert!(noted || met || piece < 32, "round {round}");
            together[usize::from(used == Use::Read)][usize::from(noted)] += 1;
            for role in 0..5 {
                let cells = |shadow: &Shadow| (0..words).map(|at| shadow.roles[role].get(at)).collect::<Vec<_>>();
                assert_eq!(cells(&quick), cells(&slow), "round {round}, role {role}");
            }
        }
        assert!(together.iter().flatten().all(|&many| many > 1000), "{together:?}");
    }
}
