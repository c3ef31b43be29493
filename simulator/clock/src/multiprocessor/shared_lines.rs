//! Lines that all blocks ask for, as far as the followed ones tell.
use super::setting::Setting;
use crate::cards::Device;
use crate::constants::{GROUP_LINES, HOT_SHARE};
use crate::listeners::warp_trace::WarpTrace;
use rustc_hash::{FxHashMap, FxHashSet};

/// Lines that a block asks for, and which sectors of each.
pub type Asked = FxHashMap<u64, u8>;

/// What the warps of a block ask for.
pub fn asked(warps: &[WarpTrace]) -> Asked {
    let mut asked = Asked::default();
    // Most is asked for again and again: what was of late needs no look.
    let mut late = [(u64::MAX, 0); 256];
    for &own in warps.iter().flat_map(|warp| &warp.lines) {
        let place = own.0 as usize % late.len();
        if std::mem::replace(&mut late[place], own) != own {
            *asked.entry(own.0).or_default() |= own.1;
        }
    }
    asked
}

/// L2 has as many slices as it has for all lines only where these are many.
pub fn hot(card: &Device, setting: &Setting, shared_lines: &FxHashMap<u64, bool>) -> f64 {
    let groups: FxHashSet<u64> = shared_lines.iter().filter(|line| *line.1).map(|line| line.0 / GROUP_LINES).collect();
    let others = 1.0 - 1.0 / setting.active.max(1.0);
    1.0 + f64::from(card.architecture.l2_slices) * HOT_SHARE * others / groups.len().max(1) as f64
}

/// Of the sectors that a block asks for, the part that not all blocks do.
pub fn own_share(blocks: &[Asked], shared_lines: &FxHashMap<u64, bool>) -> f64 {
    let mut sectors = [0u64; 2];
    for (line, own) in blocks.iter().flatten() {
        sectors[usize::from(shared_lines.get(line) == Some(&true))] += u64::from(own.count_ones());
    }
    if sectors[0] == 0 { 1.0 } else { sectors[0] as f64 / (sectors[0] + sectors[1]) as f64 }
}

/// Lines that at least half of the followed blocks touch: all blocks are taken to.
pub fn shared_lines(blocks: &[Asked]) -> FxHashMap<u64, bool> {
    let mut known: FxHashMap<u64, usize> = FxHashMap::default();
    blocks.iter().flat_map(Asked::keys).for_each(|&line| *known.entry(line).or_default() += 1);
    let most = (blocks.len() / 2).max(2);
    known.into_iter().map(|(line, blocks)| (line, blocks >= most)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_blocks_ask_for_is_no_part_of_their_own() {
        // Each of four blocks has a line of its own, and two sectors of a line that all have.
        let traces: Vec<Vec<WarpTrace>> = (0..4)
            .map(|block| vec![WarpTrace { lines: vec![(100 + block, 0b1111), (7, 0b0011)], ..WarpTrace::default() }])
            .collect();
        let blocks: Vec<Asked> = traces.iter().map(|warps| asked(warps)).collect();
        let shared = shared_lines(&blocks);
        assert_eq!((shared[&7], shared[&100]), (true, false));
        assert!((own_share(&blocks, &shared) - 4.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn all_sectors_of_a_line_count_however_often_and_between_whatever_they_are_asked_for() {
        // Lines 3 and 259 are looked up in one place.
        let lines = vec![(3, 0b0001), (259, 0b1000), (3, 0b0001), (3, 0b0100), (3, 0b0100), (259, 0b1000)];
        let warps = [WarpTrace { lines, ..WarpTrace::default() }];
        assert_eq!(asked(&warps), Asked::from_iter([(3, 0b0101), (259, 0b1000)]));
    }
}
