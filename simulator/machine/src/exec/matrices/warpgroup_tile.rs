//! Where the elements of a `wgmma` operand lie in shared memory: the matrix descriptor's canonical layouts.
//!
//! The PTX manual (section "Asynchronous Warpgroup Level Matrix Shared Memory Layout") gives the layouts in units of 16 bytes.
//! With W units in a row of the swizzle pattern (1, 2, 4 or 8), L and S the leading and the stride dimension's byte offsets,
//! an operand that is contiguous along k has element (row, unit) at `row % 8 · 16·W + row / 8 · S + unit · (W = 1 ? L : 16)`;
//! one that is contiguous along its rows has unit c of the rows and index k at `c % W · 16 + c / W · (W = 1 ? S : L) +
//! k % 8 · 16·W + k / 8 · (W = 1 ? L : S)`. The swizzle then changes the address of each unit.
use crate::exec::view::Lanes;
use crate::tensor::Swizzle;
use std::ops::Range;

/// Bytes of a unit, and of an operand along k in one instruction.
const UNIT: u64 = 16;
const DEPTH: u64 = 32;

/// A matrix descriptor, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Descriptor {
    start: u64,
    leading: u64,
    stride: u64,
    /// Rows of the swizzle pattern that the matrix begins at.
    base: u64,
    swizzle: Swizzle,
    /// Contiguous along M or N instead of K.
    transposed: bool,
}

impl Descriptor {
    /// Bits 0–13 the address, 16–29 and 32–45 the leading and the stride dimension's offset, each in units; 49–51 the base
    /// offset; 62–63 the swizzle: none, 128, 64 or 32 bytes.
    pub fn new(bits: u64, transposed: bool) -> Descriptor {
        let units = |shift: u32| (bits >> shift & 0x3fff) * UNIT;
        let swizzle = [Swizzle::None, Swizzle::Bytes128, Swizzle::Bytes64, Swizzle::Bytes32][(bits >> 62) as usize];
        Descriptor { start: units(0), leading: units(16), stride: units(32), base: bits >> 49 & 7, swizzle, transposed }
    }
}

/// The rows of an operand (of A, or columns of B) that a warp reads.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    descriptor: Descriptor,
    element: u64,
    rows: Range<usize>,
}

impl Tile {
    pub fn new(descriptor: Descriptor, element_bytes: u32, rows: Range<usize>) -> Tile {
        Tile { descriptor, element: element_bytes.into(), rows }
    }

    /// Addresses of its units, each with the element that it begins with: row and index along k.
    fn units(&self) -> impl Iterator<Item = (u64, usize, usize)> + '_ {
        let d = self.descriptor;
        let each = (UNIT / self.element) as usize;
        let (wide, row_of_pattern) = (d.swizzle.chunks(), UNIT * d.swizzle.chunks());
        let plain = d.swizzle == Swizzle::None;
        // Contiguous along k: the units of each row; along the rows: those of each k.
        let (outer, inner) = match d.transposed {
            false => (self.rows.clone(), 0..(DEPTH / UNIT) as usize),
            true => (0..(DEPTH / self.element) as usize, self.rows.start / each..self.rows.end.div_ceil(each)),
        };
        outer.flat_map(move |line| inner.clone().map(move |unit| (line, unit))).map(move |(line, unit)| {
            let (line_64, unit_64) = (line as u64, unit as u64);
            let eighths = |within: u64, beyond: u64| line_64 % 8 * within + line_64 / 8 * beyond;
            let offset = match (d.transposed, plain) {
                (false, true) => eighths(row_of_pattern, d.stride) + unit_64 * d.leading,
                (false, false) => eighths(row_of_pattern, d.stride) + unit_64 * UNIT,
                (true, true) => unit_64 * d.stride + eighths(row_of_pattern, d.leading),
                (true, false) => unit_64 % wide * UNIT + unit_64 / wide * d.leading + eighths(row_of_pattern, d.stride),
            };
            // The descriptor's addresses have 18 bits.
            let address = (d.start + offset) & 0x3_ffff;
            let address = d.swizzle.place(address.wrapping_sub(128 * d.base)).wrapping_add(128 * d.base);
            match d.transposed {
                false => (address, line, unit * each),
                true => (address, unit * each, line),
            }
        })
    }

    /// The first byte of the tile, and one after its last.
    pub fn span(&self) -> (u64, u64) {
        let all = self.units().map(|(address, ..)| address);
        let (first, last) = all.fold((u64::MAX, 0), |(first, last), at| (first.min(at), last.max(at)));
        (first, last + UNIT)
    }

    /// Its ranges of memory, sorted and joined: first bytes, and how many.
    pub fn chunks(&self) -> Vec<(u64, u64)> {
        let mut all: Vec<u64> = self.units().map(|(address, ..)| address).collect();
        all.sort_unstable();
        all.dedup();
        let mut chunks: Vec<(u64, u64)> = Vec::new();
        for address in all {
            match chunks.last_mut() {
                Some((first, bytes)) if *first + *bytes == address => *bytes += UNIT,
                _ => chunks.push((address, UNIT)),
            }
        }
        chunks
    }

    /// Hands every element to `put`: its row, counted from the first of the tile, its index along k, its bits. The tile's
    /// span lies in the block's shared memory.
    #[allow(unsafe_code)]
    pub fn read(&self, lanes: &Lanes, mut put: impl FnMut(usize, usize, u64)) {
        let each = (UNIT / self.element) as usize;
        let mask = u64::MAX >> (64 - 8 * self.element);
        let (_, end) = self.span();
        assert!(end <= lanes.shared.bytes, "a tile outside of shared memory");
        for (address, row, k) in self.units() {
            let mut unit = [0u8; UNIT as usize];
            // SAFETY: all units lie in front of the span's end, which lies in the block's shared memory.
            unsafe {
                let from = lanes.shared.base.add(address as usize);
                std::ptr::copy_nonoverlapping(from, unit.as_mut_ptr(), UNIT as usize);
            }
            let bits = u128::from_le_bytes(unit);
            for element in 0..each {
                let value = (bits >> (8 * self.element * element as u64)) as u64 & mask;
                let (row, k) = if self.descriptor.transposed { (row + element, k) } else { (row, k + element) };
                if self.rows.contains(&row) {
                    put(row - self.rows.start, k, value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor(start: u64, leading: u64, stride: u64, layout: u64) -> u64 {
        start >> 4 | (leading >> 4) << 16 | (stride >> 4) << 32 | layout << 62
    }

    fn at(bits: u64, transposed: bool, rows: usize, row: usize, k: usize) -> u64 {
        let tile = Tile::new(Descriptor::new(bits, transposed), 2, 0..rows);
        let (unit_row, unit_k) = if transposed { (row / 8 * 8, k) } else { (row, k / 8 * 8) };
        tile.units().find(|&(_, r, i)| (r, i) == (unit_row, unit_k)).unwrap().0
    }

    #[test]
    fn rows_of_the_pattern_follow_each_other() {
        let bits = descriptor(0x400, 16, 1024, 1);
        assert_eq!(at(bits, false, 64, 0, 0), 0x400);
        assert_eq!(at(bits, false, 64, 1, 0), 0x490, "row 1: chunk 0 is where chunk 1 would be");
        assert_eq!(at(bits, false, 64, 1, 8), 0x480);
        assert_eq!(at(bits, false, 64, 8, 0), 0x800);
        // The next 32 bytes along k: the start address moves, the pattern does not.
        assert_eq!(at(descriptor(0x420, 16, 1024, 1), false, 64, 1, 0), 0x4b0);
    }

    #[test]
    fn without_a_swizzle_both_offsets_count() {
        let bits = descriptor(0, 2048, 128, 0);
        assert_eq!(at(bits, false, 64, 3, 8), 2048 + 48);
        assert_eq!(at(bits, false, 64, 9, 0), 128 + 16);
        assert_eq!(at(bits, true, 64, 16, 9), 2 * 128 + 2048 + 16);
    }

    #[test]
    fn a_transposed_operand_is_contiguous_along_its_rows() {
        let bits = descriptor(0, 4096, 1024, 1);
        assert_eq!(at(bits, true, 128, 8, 0), 16);
        assert_eq!(at(bits, true, 128, 64, 0), 4096);
        assert_eq!(at(bits, true, 128, 0, 1), 128 + 16);
        assert_eq!(at(bits, true, 128, 0, 8), 1024);
    }
}
