//! Where the words of a thread's arrays lie: a word of all lanes of a warp fills a line, so that lanes that name different words have a line each.
use machine::probe::Access;

/// Lines from here on are of local memory.
pub const FIRST_LINE: u64 = 1 << 53;

/// Appends the lines of an access with the sectors of each; how many sectors a store fills only in part.
pub fn lines(access: &Access, to: &mut Vec<(u64, u8)>) -> u16 {
    let base = FIRST_LINE | u64::from(access.who.warp) << 33 | (access.who.block_index & 0xffff) << 37;
    let mut partial = 0;
    for word in 0..u64::from(access.bytes.div_ceil(4)) {
        let of_word = to.len();
        let mut lanes_of: [u32; 32] = [0; 32];
        for lane in access.lanes() {
            let line = base + access.address(lane) / 4 + word;
            let at = to[of_word..].iter().rposition(|known| known.0 == line).unwrap_or(to.len() - of_word);
            if of_word + at == to.len() {
                to.push((line, 0));
            }
            to[of_word + at].1 |= 1 << (lane / 8);
            lanes_of[at] |= 1 << lane;
        }
        let fills = |lanes: u32| lanes == 0 || lanes == 255 && access.bytes >= 4;
        let unfilled = |lanes: &u32| (0..4).filter(|sector| !fills(lanes >> (8 * sector) & 255)).count();
        partial += lanes_of.iter().map(unfilled).sum::<usize>() as u16;
    }
    partial
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::probe::{AccessKind, Addresses, Order, Who};
    use ptx::isa::Space;

    /// Sectors of each line, and those that are filled in part, of a store by the lanes of a mask.
    fn stored(mask: u32, bytes: u32, addresses: Addresses) -> (Vec<u8>, u16) {
        let access = Access {
            who: Who::default(),
            site: 0,
            kind: AccessKind::Store,
            space: Space::Local,
            mask,
            addresses,
            bytes,
            order: Order::WEAK,
            stored: None,
        };
        let mut found = Vec::new();
        let partial = lines(&access, &mut found);
        assert!(found.iter().all(|line| line.0 >= FIRST_LINE));
        (found.into_iter().map(|line| line.1).collect(), partial)
    }

    #[test]
    fn one_word_of_all_lanes_fills_a_line() {
        assert_eq!(stored(!0, 4, Addresses::Same(8)), (vec![15], 0));
        assert_eq!(stored(!0, 16, Addresses::Same(16)), (vec![15; 4], 0));
        assert_eq!(stored(0xff00, 4, Addresses::Same(8)), (vec![2], 0));
    }

    #[test]
    fn lanes_of_different_words_have_a_line_each_and_fill_sectors_in_part() {
        let addresses = std::array::from_fn(|lane| 4 * (lane as u64 % 2));
        assert_eq!(stored(!0, 4, Addresses::Each(&addresses)), (vec![15, 15], 8));
        assert_eq!(stored(0xfff, 4, Addresses::Same(0)), (vec![3], 1), "the second sector has half of its lanes");
        assert_eq!(stored(!0, 1, Addresses::Same(0)), (vec![15], 4), "a byte of each word");
    }
}
