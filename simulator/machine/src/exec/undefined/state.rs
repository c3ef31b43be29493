//! The twins of a warp as data; `twins` says what they are for.
use crate::exec::view::{Line, WARP};
use crate::probe::Origin;
use rustc_hash::FxHashMap;

/// How many twins a warp has.
pub(super) const TWINS: usize = 2;

/// The twins of a warp.
#[derive(Default)]
pub(crate) struct Twins {
    pub registers: [Vec<Line>; TWINS],
    /// Local memory of all lanes, each `stride` bytes.
    pub local: [Vec<u8>; TWINS],
    pub stride: usize,
    /// Where undefined values come from, as the probe numbers it: by place in the register file, and by place in local
    /// memory divided by 4.
    pub origins: FxHashMap<u32, Origin>,
    pub local_origins: FxHashMap<u64, Origin>,
    /// Basic blocks since the twins were last compared with their warp.
    pub blocks: u32,
}

/// Bits that a byte of a twin differs in: all in the first twin, so that what merely moves or masks them shows; in the
/// second some or other, such that four or eight bytes make an ordinary number of any type.
pub(crate) fn pattern(twin: usize, address: u64, lane: usize) -> u8 {
    if twin == 0 {
        return 0xff;
    }
    let seed = (address ^ (lane as u64) << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let random = (seed ^ seed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 56;
    // The exponents of floats are in the last byte: 0x44 … 0x53 are large and finite.
    if address % 4 == 3 {
        0x44 + (random as u8 & 0x8f).wrapping_add(random as u8 >> 4 & 0xf) % 16
    } else {
        random as u8 | 1
    }
}

impl Twins {
    /// Makes them as large as the warp has become.
    pub fn grow(&mut self, lines: usize, stride: usize) {
        for registers in &mut self.registers {
            registers.resize(lines.max(registers.len()), Line([0; 64]));
        }
        if self.stride < stride {
            for local in &mut self.local {
                let mut grown = vec![0; stride * WARP];
                for (to, from) in grown.chunks_exact_mut(stride).zip(local.chunks_exact(self.stride.max(1))) {
                    to[..self.stride].copy_from_slice(from);
                }
                *local = grown;
            }
            self.stride = stride;
        }
    }
}
