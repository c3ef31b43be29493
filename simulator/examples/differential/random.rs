//! Random numbers from a seed (SplitMix64), and the values that arithmetic is most likely to get wrong.

/// A generator: the same seed, the same numbers, on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True once in `n`.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn choose<'a, T: ?Sized>(&mut self, among: &[&'a T]) -> &'a T {
        among[self.below(among.len())]
    }

    pub fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())]
    }

    /// 64 bits of input: integers and floats of all widths, near their limits as often as not.
    pub fn word(&mut self) -> u64 {
        match self.below(10) {
            0 => self.next() % 16,
            1 => (self.next() % 16).wrapping_neg(),
            2 => self.next(),
            3 => u64::from(self.float_32()) | u64::from(self.float_32()) << 32,
            4 => self.float_64(),
            5 => (0..4).fold(0, |word, i| word | u64::from(self.half()) << (16 * i)),
            6 => u64::from(self.edge_32()) | u64::from(self.edge_32()) << 32,
            7 => (1u64 << self.below(64)).wrapping_add((self.next() % 5).wrapping_sub(2)),
            8 => self.next() >> self.below(64),
            _ => u64::from(self.next() as u32) | u64::from(self.float_32()) << 32,
        }
    }

    /// An integer of 32 bits near a power of two, or small.
    pub fn edge_32(&mut self) -> u32 {
        match self.below(4) {
            0 => self.below(64) as u32,
            1 => (self.below(64) as u32).wrapping_neg(),
            2 => (1u32 << self.below(32)).wrapping_add(self.below(5) as u32).wrapping_sub(2),
            _ => self.next() as u32,
        }
    }

    pub fn float_32(&mut self) -> u32 {
        let sign = (self.next() as u32) & 0x8000_0000;
        sign | match self.below(8) {
            0 => self.pick(&[0, 1, 0x7f_ffff, 0x80_0000, 0x7f7f_ffff, 0x7f80_0000, 0x7fff_ffff, 0x3f80_0000]),
            // Subnormal.
            1 => self.next() as u32 & 0x7f_ffff,
            // A small whole number, or one with a half.
            2 | 3 => (self.below(64) as f32 / self.pick(&[1.0, 2.0, 4.0])).to_bits(),
            // Near the limits of integers.
            4 => ((self.pick(&[7u32, 8, 15, 16, 31, 32, 63, 64]) + 127) << 23).wrapping_sub(self.below(3) as u32),
            5 => self.next() as u32 & 0x7fff_ffff,
            _ => (0x3f80_0000 + ((self.next() as u32 & 0x7fff_ffff) >> 5)).wrapping_sub(0x0180_0000),
        }
    }

    pub fn float_64(&mut self) -> u64 {
        let sign = self.next() & 1 << 63;
        sign | match self.below(6) {
            0 => self.pick(&[0, 1, (1 << 52) - 1, 1 << 52, 0x7fef_ffff_ffff_ffff, 0x7ff0 << 48, 0x7ff8 << 48]),
            1 => self.next() & ((1 << 52) - 1),
            2 => (self.below(64) as f64 / self.pick(&[1.0, 2.0, 4.0])).to_bits(),
            3 => ((self.pick(&[7u64, 8, 31, 32, 63, 64, 127, 128]) + 1023) << 52).wrapping_sub(self.next() % 3),
            4 => f64::from(f32::from_bits(self.float_32() & 0x7fff_ffff)).to_bits() & !(1 << 63),
            _ => 0x3ff0_0000_0000_0000 + (self.next() >> 9) - (1 << 54),
        }
    }

    pub fn half(&mut self) -> u16 {
        match self.below(4) {
            0 => self.pick(&[0, 0x8000, 0x3c00, 0xbc00, 0x7bff, 0x7c00, 0xfc00, 0x7fff, 1, 0x3ff, 0x400, 0x3f80]),
            1 => self.next() as u16 & 0x83ff,
            _ => self.next() as u16,
        }
    }
}
