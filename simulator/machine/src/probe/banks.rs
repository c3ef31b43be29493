//! Which lanes of an access to shared memory its banks serve together.
use super::{AccessKind, lanes};

/// Banks of every multiprocessor since Fermi.
pub const BANKS: u64 = 32;
/// Bytes of a word: successive ones lie in successive banks.
pub const WORD: u64 = 4;
/// Lanes whose places differ in one of these bits are partners.
const PARTNERS: [usize; 2] = [1, 2];

/// Lane masks of the parts that an access of `bytes` a lane goes in: all 32 lanes where an element is no wider than a bank, else as many
/// as fill all banks once (half and quarter warps), and twice as many where [`in_pairs`].
pub fn parts(in_pairs: bool, bytes: u32, bank_bytes: u32) -> impl Iterator<Item = u32> {
    let count = part_count(in_pairs, bytes, bank_bytes);
    let width = 32 / count;
    (0..count).map(move |part| (u32::MAX >> (32 - width)) << (part * width))
}

/// How many parts those are.
fn part_count(in_pairs: bool, bytes: u32, bank_bytes: u32) -> u32 {
    let count = (bytes / bank_bytes).clamp(1, 32);
    if in_pairs { (count / 2).max(1) } else { count }
}

/// How many of these parts have an active lane.
#[inline(never)]
pub fn active_parts(in_pairs: bool, mask: u32, bytes: u32, bank_bytes: u32) -> u64 {
    if mask == !0 {
        return part_count(in_pairs, bytes, bank_bytes).into();
    }
    parts(in_pairs, bytes, bank_bytes).filter(|part| mask & part != 0).count() as u64
}

/// Returns whether the lanes of a load that is wider than a bank come in pairs: each asks for what its neighbour asks for, or each for what the
/// one after next does, or those do not take part. Stores gain nothing by it. Measured on an H200 with loads and stores of 85 patterns
/// (`docs/measurements/h200-instructions.md`); not known of Kepler, whose banks are 8 bytes wide.
pub fn in_pairs(kind: AccessKind, mask: u32, addresses: &[u64; 32], bytes: u32, bank_bytes: u32) -> bool {
    let same = |lane: usize, other: usize| mask >> other & 1 == 0 || addresses[lane] == addresses[other];
    may_be_in_pairs(kind, bytes, bank_bytes)
        && PARTNERS.iter().any(|partner| lanes(mask).all(|lane| same(lane, lane ^ partner)))
}

/// As [`in_pairs`], for lanes that each ask for something else (`apart`) or all for one thing.
pub fn range_is_in_pairs(kind: AccessKind, mask: u32, apart: bool, bytes: u32, bank_bytes: u32) -> bool {
    let alone = mask & mask >> 1 & 0x5555_5555 == 0 || mask & mask >> 2 & 0x3333_3333 == 0;
    may_be_in_pairs(kind, bytes, bank_bytes) && (!apart || alone)
}

fn may_be_in_pairs(kind: AccessKind, bytes: u32, bank_bytes: u32) -> bool {
    kind == AccessKind::Load && u64::from(bank_bytes) == WORD && bytes > bank_bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fill_the_banks_once_and_pairs_twice() {
        let of = |in_pairs, bytes| parts(in_pairs, bytes, 4).collect::<Vec<u32>>();
        assert_eq!(of(false, 4), [!0]);
        assert_eq!(of(false, 8), [0xffff, 0xffff_0000]);
        assert_eq!(of(true, 8), [!0]);
        assert_eq!(of(false, 16), [0xff, 0xff00, 0xff_0000, 0xff00_0000]);
        assert_eq!(of(true, 16), [0xffff, 0xffff_0000]);
    }

    #[test]
    fn pairs_are_neighbours_or_one_apart_in_the_whole_warp() {
        let pairs = |mask, f: &dyn Fn(u64) -> u64| {
            in_pairs(AccessKind::Load, mask, &std::array::from_fn(|lane| 16 * f(lane as u64)), 16, 4)
        };
        assert!(pairs(!0, &|lane| lane / 2) && pairs(!0, &|lane| lane % 2) && pairs(!0, &|_| 0));
        assert!(!pairs(!0, &|lane| lane) && !pairs(!0, &|lane| lane % 4));
        assert!(!pairs(!0, &|lane| if lane < 16 { lane / 2 } else { lane % 2 }), "one kind of pairs for all");
        assert!(pairs(0x5555_5555, &|lane| lane), "lanes whose partners are switched off");
        let store = |kind| in_pairs(kind, !0, &[0; 32], 16, 4);
        assert!(store(AccessKind::Load) && !store(AccessKind::Store) && !store(AccessKind::Atomic));
        assert!(!in_pairs(AccessKind::Load, !0, &[0; 32], 16, 8), "of banks of 8 bytes it is not known");
    }

    #[test]
    fn ranges_agree_with_addresses() {
        for mask in [!0u32, 1, 0xffff, 0x5555_5555, 0x3333_3333, 0x1111_1111, 0x8000_0001, 3, 5] {
            for bytes in [1u32, 4, 8, 16] {
                for apart in [true, false] {
                    let addresses = std::array::from_fn(|lane| if apart { lane as u64 * u64::from(bytes) } else { 64 });
                    for kind in [AccessKind::Load, AccessKind::Store] {
                        assert_eq!(
                            range_is_in_pairs(kind, mask, apart, bytes, 4),
                            in_pairs(kind, mask, &addresses, bytes, 4),
                            "{mask:x} {bytes} {apart} {kind:?}"
                        );
                    }
                }
            }
        }
    }
}
