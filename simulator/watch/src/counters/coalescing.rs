//! Global memory: what one warp access costs in 32-byte sectors.
//!
//! Sectors are *distinct* 32-byte sectors that the active lanes touch, bytes are *distinct* bytes that they ask for: so
//! counted, they equal Nsight Compute's `l1tex__t_sectors_pipe_lsu_mem_global_op_ld` and give the published load
//! efficiencies exactly (tests below). Accesses are aligned to their size, so two lanes ask for the same bytes or for
//! disjoint ones, and no lane's element crosses a sector.
use super::pattern::Distinct;
use machine::probe::lanes;
use std::ops::AddAssign;

/// Bytes of a sector, the unit in which memory is fetched since Maxwell.
pub const SECTOR_BYTES: u64 = 32;

super::totals::counts! {
    /// Sectors and distinct bytes of one access or of many, and the bytes moved besides the sectors, where stores move larger pieces.
    #[derive(PartialEq, Eq)]
    pub struct Traffic {
        pub sectors: u64,
        pub bytes: u64,
        pub excess: u64,
    }
}

impl Traffic {
    /// Bytes asked for over bytes moved, in percent; `None` where nothing was moved.
    pub fn efficiency_percent(self) -> Option<f64> {
        let moved = SECTOR_BYTES * self.sectors + self.excess;
        (moved > 0).then(|| 100.0 * self.bytes as f64 / moved as f64)
    }
}

impl AddAssign for Traffic {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.sectors += other.sectors;
        self.bytes += other.bytes;
        self.excess += other.excess;
    }
}

/// The cost of one access by the lanes of `mask`, `bytes` per lane, moved in pieces of `piece` bytes.
pub fn traffic(mask: u32, addresses: &[u64; 32], bytes: u32, piece: u64) -> Traffic {
    let mut distinct = Distinct::default();
    for lane in lanes(mask) {
        distinct.insert(addresses[lane]);
    }
    let touched = |unit: u64| {
        let mut units = Distinct::default();
        for lane in lanes(mask) {
            let last = addresses[lane] + u64::from(bytes) - 1;
            for unit in addresses[lane] / unit..=last / unit {
                units.insert(unit);
            }
        }
        units.count()
    };
    let sectors = touched(SECTOR_BYTES);
    let excess = if piece == SECTOR_BYTES { 0 } else { touched(piece) * piece - sectors * SECTOR_BYTES };
    Traffic { sectors, bytes: distinct.count() * u64::from(bytes), excess }
}

/// The same for lanes that ask for `bytes` in one piece, from `first` on, together.
#[inline(always)]
pub fn traffic_of_range(first: u64, bytes: u64, piece: u64) -> Traffic {
    let last = first + bytes - 1;
    let sectors = last / SECTOR_BYTES - first / SECTOR_BYTES + 1;
    let excess =
        if piece == SECTOR_BYTES { 0 } else { (last / piece - first / piece + 1) * piece - sectors * SECTOR_BYTES };
    Traffic { sectors, bytes, excess }
}

/// Local memory is interleaved: word *w* of all lanes of a warp lies in one 128-byte line. This gives the place of a
/// lane's offset in that layout, so that [`traffic`] counts it as the hardware does.
pub fn interleaved(lane: usize, offset: u64) -> u64 {
    offset / 4 * 128 + lane as u64 * 4 + offset % 4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(f: impl Fn(u64) -> u64) -> [u64; 32] {
        std::array::from_fn(|lane| 0x1000 + f(lane as u64))
    }

    /// Sectors per request and percentages as Nsight Compute shows them on an H200 and nvprof on a GTX 1050.
    #[test]
    fn reference_values() {
        let cases: [(&str, [u64; 32], u32, u64, f64); 7] = [
            ("f32 unit stride", at(|l| 4 * l), 4, 4, 100.0),
            ("f32 shifted by one element", at(|l| 4 * (l + 1)), 4, 5, 80.0),
            ("f32 one row per lane", at(|l| 4096 * l), 4, 32, 12.5),
            ("f64 unit stride", at(|l| 8 * l), 8, 8, 100.0),
            ("f64 column", at(|l| 8192 * l), 8, 32, 25.0),
            ("f32 broadcast", at(|_| 0), 4, 1, 12.5),
            ("float4 unit stride", at(|l| 16 * l), 16, 16, 100.0),
        ];
        for (name, addresses, bytes, sectors, percent) in cases {
            let got = traffic(!0, &addresses, bytes, 32);
            assert_eq!(got.sectors, sectors, "{name}");
            assert_eq!(got.efficiency_percent(), Some(percent), "{name}");
        }
    }

    /// Assignment 4's published global load efficiency of the naive product: 30, 56.25 and 82.5 % for block edge 8, 16, 32.
    #[test]
    fn naive_product_as_published() {
        for (edge, percent) in [(8u64, 30.0), (16, 56.25), (32, 82.5)] {
            let n = 64;
            let row = at(|l| 4 * (l / edge * n));
            let column = at(|l| 4 * (l % edge));
            let mut both = traffic(!0, &row, 4, 32);
            both += traffic(!0, &column, 4, 32);
            assert_eq!(both.efficiency_percent(), Some(percent), "edge {edge}");
        }
    }

    /// The same kernel's published global store efficiency on a GTX 1050: 50, 100 and 100 %.
    #[test]
    fn stores_of_the_naive_product_as_published() {
        for (edge, percent) in [(8u64, 50.0), (16, 100.0), (32, 100.0)] {
            let n = 64;
            let tile = at(|l| 4 * (l / edge * n + l % edge));
            assert_eq!(traffic(!0, &tile, 4, 64).efficiency_percent(), Some(percent), "edge {edge}");
            assert_eq!(traffic(!0, &tile, 4, 32).efficiency_percent(), Some(100.0), "edge {edge}, later cards");
        }
    }

    #[test]
    fn closed_forms_agree_with_counting() {
        for bytes in [1u32, 2, 4, 8, 16] {
            for shift in 0..16u64 {
                for mask in [!0u32, 1, 0xffff, 0xff00, 0x7fff_fffe, 0x8000_0000, 0x3] {
                    let base = 0x2000 + shift * u64::from(bytes);
                    let first = mask.trailing_zeros() as usize;
                    let dense: [u64; 32] = std::array::from_fn(|l| {
                        base.wrapping_add((l as u64).wrapping_sub(first as u64).wrapping_mul(u64::from(bytes)))
                    });
                    let together = u64::from(mask.count_ones() * bytes);
                    for piece in [32, 64] {
                        assert_eq!(traffic_of_range(base, together, piece), traffic(mask, &dense, bytes, piece));
                        let same = traffic(mask, &[base; 32], bytes, piece);
                        assert_eq!(traffic_of_range(base, bytes.into(), piece), same);
                    }
                }
            }
        }
    }

    #[test]
    fn local_words_of_a_warp_share_lines() {
        let same_offset: [u64; 32] = std::array::from_fn(|lane| interleaved(lane, 20));
        assert_eq!(traffic(!0, &same_offset, 4, 32), Traffic { sectors: 4, bytes: 128, excess: 0 });
        let own_offset: [u64; 32] = std::array::from_fn(|lane| interleaved(lane, 4 * lane as u64));
        assert_eq!(traffic(!0, &own_offset, 4, 32).sectors, 32);
    }
}
