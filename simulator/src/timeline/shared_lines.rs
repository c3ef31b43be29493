//! Lines that all blocks ask for, as far as the followed ones tell.
use super::setting::Setting;
use super::trace::WarpTrace;
use crate::device::Device;
use rustc_hash::{FxHashMap, FxHashSet};

/// L2 has as many slices as it has for all lines only where these are many.
pub fn hot(card: &Device, setting: &Setting, shared_lines: &FxHashMap<u64, bool>) -> f64 {
    let groups: FxHashSet<u64> = shared_lines.iter().filter(|line| *line.1).map(|line| line.0 / GROUP_LINES).collect();
    let others = 1.0 - 1.0 / setting.active.max(1.0);
    1.0 + f64::from(card.architecture.l2_slices) * HOT_SHARE * others / groups.len().max(1) as f64
}

/// Of the sectors that a block asks for, the part that not all blocks do.
pub fn own_share(traces: &[&Vec<WarpTrace>], shared_lines: &FxHashMap<u64, bool>) -> f64 {
    let mut sectors = [0u64; 2];
    for warps in traces {
        let mut of_block: FxHashMap<u64, u8> = FxHashMap::default();
        for &(line, sectors) in warps.iter().flat_map(|warp| &warp.lines) {
            *of_block.entry(line).or_default() |= sectors;
        }
        for (line, own) in of_block {
            sectors[usize::from(shared_lines.get(&line) == Some(&true))] += u64::from(own.count_ones());
        }
    }
    if sectors[0] == 0 { 1.0 } else { sectors[0] as f64 / (sectors[0] + sectors[1]) as f64 }
}

/// Lines that at least half of the followed blocks touch: all blocks are taken to.
pub fn shared_lines(traces: &[&Vec<WarpTrace>]) -> FxHashMap<u64, bool> {
    let mut known: FxHashMap<u64, (usize, usize)> = FxHashMap::default();
    for (block, warps) in traces.iter().enumerate() {
        for &(line, _) in warps.iter().flat_map(|warp| &warp.lines) {
            let (last, blocks) = known.entry(line).or_insert((usize::MAX, 0));
            *blocks += usize::from(*last != block);
            *last = block;
        }
    }
    let most = (traces.len() / 2).max(2);
    known.into_iter().map(|(line, (_, blocks))| (line, blocks >= most)).collect()
}

/// Lines of neighbours in one slice of L2; and the part of the slices that loads find busy if all ask for one: tables of 16 and 64 KiB.
const GROUP_LINES: u64 = 4;
const HOT_SHARE: f64 = 0.75;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_blocks_ask_for_is_no_part_of_their_own() {
        // Each of four blocks has a line of its own, and two sectors of a line that all have.
        let traces: Vec<Vec<WarpTrace>> = (0..4)
            .map(|block| vec![WarpTrace { lines: vec![(100 + block, 0b1111), (7, 0b0011)], ..WarpTrace::default() }])
            .collect();
        let traces: Vec<&Vec<WarpTrace>> = traces.iter().collect();
        let shared = shared_lines(&traces);
        assert_eq!((shared[&7], shared[&100]), (true, false));
        assert!((own_share(&traces, &shared) - 4.0 / 6.0).abs() < 1e-12);
    }
}
