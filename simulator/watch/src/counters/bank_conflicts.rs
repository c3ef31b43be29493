//! Shared memory: how many passes (wavefronts) one warp access takes through the 32 banks.
//!
//! Successive words of 4 bytes lie in successive banks. A pass serves as many bytes of each bank as the bank is wide: one word, and on
//! Kepler, whose banks are 8 bytes wide, two that lie 32 words apart in one segment of 64 (its default mode; CUDA C Programming
//! Guide 10.2, compute capability 3.x, shared memory, 32-bit mode).
//! Accesses wider than a bank go in parts, as [`machine::probe::banks`] tells.
use super::pattern::Distinct;
use machine::probe::banks::{BANKS, WORD, active_parts, in_pairs, parts, range_is_in_pairs};
use machine::probe::{AccessKind, lanes};
use std::ops::AddAssign;

super::totals::counts! {
    /// Passes of one access or of many; those that the same lanes need without conflicts: one for each part that has an active lane; and the
    /// distinct bytes asked for.
    #[derive(PartialEq, Eq)]
    pub struct Passes {
        pub wavefronts: u64,
        pub ideal: u64,
        pub bytes: u64,
    }
}

impl Passes {
    /// Passes beyond the minimum.
    pub fn conflicts(self) -> u64 {
        self.wavefronts - self.ideal
    }
    /// Bytes asked for over bytes that the passes could have moved, in percent; `None` without a pass.
    pub fn efficiency_percent(self, bank_bytes: u32) -> Option<f64> {
        (self.wavefronts > 0)
            .then(|| 100.0 * self.bytes as f64 / (u64::from(bank_bytes) * BANKS * self.wavefronts) as f64)
    }
}

impl AddAssign for Passes {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.wavefronts += other.wavefronts;
        self.ideal += other.ideal;
        self.bytes += other.bytes;
    }
}

/// The passes of one access by the lanes of `mask`, `bytes` per lane, through banks of `bank_bytes`.
pub fn passes(kind: AccessKind, mask: u32, addresses: &[u64; 32], bytes: u32, bank_bytes: u32) -> Passes {
    let mut total = Passes::default();
    for part in parts(in_pairs(kind, mask, addresses, bytes, bank_bytes), bytes, bank_bytes) {
        if mask & part == 0 {
            continue;
        }
        let mut elements = Distinct::default();
        let mut served = Distinct::default();
        let mut per_bank = [0u8; BANKS as usize];
        for lane in lanes(mask & part) {
            elements.insert(addresses[lane]);
            let last = addresses[lane] + u64::from(bytes) - 1;
            for word in addresses[lane] / WORD..=last / WORD {
                let bank = word % BANKS;
                // Words of one bank that one pass serves together.
                let group = word / (BANKS * u64::from(bank_bytes) / WORD);
                if served.insert(group * BANKS + bank) {
                    per_bank[bank as usize] += 1;
                }
            }
        }
        total.wavefronts += u64::from(per_bank.into_iter().max().unwrap_or(0));
        total.ideal += 1;
        total.bytes += elements.count() * u64::from(bytes);
    }
    total
}

/// The same for lanes that ask for one element of `bytes` all together, or for neighbours in the order of the lanes: those
/// never conflict. `together`: what they ask for, in bytes. `None`: to be counted.
#[inline(always)]
pub fn range_passes(kind: AccessKind, mask: u32, bytes: u32, together: u64, bank_bytes: u32) -> Option<Passes> {
    let same = together == u64::from(bytes);
    let mut active = 1;
    if bytes > bank_bytes {
        let pairs = range_is_in_pairs(kind, mask, !same, bytes, bank_bytes);
        // Lanes whose partners are switched off may be too far apart for one pass.
        if pairs && !same {
            return None;
        }
        active = active_parts(pairs, mask, bytes, bank_bytes);
    }
    // One element for all is asked for once in each part.
    let asked = if same { active * together } else { together };
    // A dense run longer than the row of banks may cross from one segment of wide banks into the next.
    if u64::from(bank_bytes) > WORD && together > BANKS * WORD {
        return None;
    }
    Some(Passes { wavefronts: active, ideal: active, bytes: asked })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(f: impl Fn(u64) -> u64) -> [u64; 32] {
        std::array::from_fn(|lane| f(lane as u64))
    }

    /// Assignment 3: the transpose's tile is written by rows and read by columns. 5.88 % and 50 % on Kepler as published
    /// (banks of 8 bytes), 6.06 % and 100 % on later cards, 11.76 % in double precision.
    #[test]
    fn transpose_efficiencies_as_published() {
        let cases = [
            ("Kepler, plain", 8, 4u32, 32u64, 100.0 / 17.0),
            ("Kepler, padded", 8, 4, 33, 50.0),
            ("plain", 4, 4, 32, 200.0 / 33.0),
            ("padded", 4, 4, 33, 100.0),
            ("f64, plain", 4, 8, 32, 51200.0 / (128.0 * 34.0)),
        ];
        for (name, bank_bytes, bytes, pitch, percent) in cases {
            let b = u64::from(bytes);
            // Every row and every column of the tile: a warp's place in it must not matter.
            for place in 0..32 {
                let mut both = passes(AccessKind::Store, !0, &at(|l| (place * pitch + l) * b), bytes, bank_bytes);
                both += passes(AccessKind::Store, !0, &at(|l| (l * pitch + place) * b), bytes, bank_bytes);
                let got = both.efficiency_percent(bank_bytes).unwrap();
                assert!((got - percent).abs() < 1e-12, "{name}, row and column {place}: {got} {percent}");
            }
        }
    }

    #[test]
    fn wavefronts_of_known_patterns() {
        let cases = [
            ("broadcast", at(|_| 64), 4, 1, 1, 4),
            ("unit stride", at(|l| 4 * l), 4, 1, 1, 128),
            ("unit stride from word 5", at(|l| 4 * l + 20), 4, 1, 1, 128),
            ("stride 2", at(|l| 8 * l), 4, 2, 1, 128),
            ("stride 3: odd strides never conflict", at(|l| 12 * l), 4, 1, 1, 128),
            ("column of a 32-wide tile", at(|l| 128 * l), 4, 32, 1, 128),
            ("eight words, four lanes each", at(|l| l / 4 * 4), 4, 1, 1, 32),
            ("bytes", at(|l| l), 1, 1, 1, 32),
            ("f64 unit stride: two halves", at(|l| 8 * l), 8, 2, 2, 256),
            ("f64 broadcast", at(|_| 0), 8, 2, 2, 16),
            ("f64 column: each half has 16 words in one bank pair", at(|l| 256 * l), 8, 32, 2, 256),
            ("float4 unit stride: four quarters", at(|l| 16 * l), 16, 4, 4, 512),
            ("float4 every other", at(|l| 32 * l), 16, 8, 4, 512),
        ];
        for (name, addresses, bytes, wavefronts, ideal, asked) in cases {
            assert_eq!(
                passes(AccessKind::Store, !0, &addresses, bytes, 4),
                Passes { wavefronts, ideal, bytes: asked },
                "{name}"
            );
        }
    }

    /// Measured on an H200: `docs/measurements/h200-instructions.md`.
    #[test]
    fn wide_loads_of_pairs_are_served_together_and_stores_are_not() {
        let cases = [
            ("uniform", at(|_| 0), [1, 2], [2, 4]),
            ("neighbours", at(|l| l / 2), [1, 2], [2, 4]),
            ("every other", at(|l| l % 2), [1, 2], [2, 4]),
            ("fours", at(|l| l % 4), [2, 4], [2, 4]),
            ("dense", at(|l| l), [2, 4], [2, 4]),
            ("pairs of one bank", at(|l| l / 2 * 4), [4, 8], [4, 8]),
            ("halves far apart", at(|l| l / 16 * 16), [2, 2], [2, 4]),
            ("two kinds of pairs", at(|l| if l < 16 { l / 2 } else { l / 4 * 2 + l % 2 }), [2, 4], [2, 4]),
            ("half in pairs", at(|l| if l < 16 { l / 2 } else { l }), [2, 4], [2, 4]),
        ];
        for (name, elements, loads, stores) in cases {
            for (kind, wavefronts) in [(AccessKind::Load, loads), (AccessKind::Store, stores)] {
                for (bytes, wavefronts) in [8u32, 16].into_iter().zip(wavefronts) {
                    let addresses = elements.map(|element| element * u64::from(bytes));
                    assert_eq!(
                        passes(kind, !0, &addresses, bytes, 4).wavefronts,
                        wavefronts,
                        "{name} {kind:?} {bytes}"
                    );
                }
            }
        }
        assert_eq!(passes(AccessKind::Load, 0x5555_5555, &at(|l| l / 2 * 8), 8, 4).wavefronts, 1);
        assert_eq!(passes(AccessKind::Load, 0x8000_0001, &at(|l| l * 8), 8, 4).wavefronts, 1);
    }

    #[test]
    fn empty_parts_cost_nothing() {
        assert_eq!(
            passes(AccessKind::Store, 0xffff, &at(|l| 8 * l), 8, 4),
            Passes { wavefronts: 1, ideal: 1, bytes: 128 }
        );
        assert_eq!(passes(AccessKind::Store, 0x0000_00ff, &at(|l| 16 * l), 16, 4).wavefronts, 1);
    }

    #[test]
    fn closed_forms_agree_with_counting() {
        for bank_bytes in [4u32, 8] {
            for bytes in [1u32, 2, 4, 8, 16] {
                for shift in 0..8u64 {
                    for mask in [!0u32, 1, 0xffff, 0xff00, 0x7fff_fffe, 0x8000_0000] {
                        let base = 256 + shift * u64::from(bytes);
                        let first = u64::from(mask.trailing_zeros());
                        let dense = at(|l| (base + l * u64::from(bytes)).wrapping_sub(first * u64::from(bytes)));
                        let together = u64::from(mask.count_ones() * bytes);
                        for kind in [AccessKind::Load, AccessKind::Store] {
                            if let Some(closed) = range_passes(kind, mask, bytes, together, bank_bytes) {
                                assert_eq!(
                                    closed,
                                    passes(kind, mask, &dense, bytes, bank_bytes),
                                    "{kind:?} {bank_bytes} {bytes} {shift} {mask:x}"
                                );
                            }
                            assert_eq!(
                                range_passes(kind, mask, bytes, bytes.into(), bank_bytes),
                                Some(passes(kind, mask, &[base; 32], bytes, bank_bytes))
                            );
                        }
                    }
                }
            }
        }
    }
}
