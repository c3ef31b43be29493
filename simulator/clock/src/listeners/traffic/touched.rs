//! What the warps of a wave ask for of one line.
use crate::constants::STRETCHES_PER_DOUBLING;

/// Of a line: a bit for each sector, whether whole ones were written, and for each sector the stretches of time in which it was asked for.
#[derive(Clone, Copy, Default)]
pub struct Touched {
    pub sectors: u8,
    pub written: bool,
    pub stretches: [u32; 4],
}

/// Time in stretches that grow with it, three while it doubles.
pub fn stretch(time: u32) -> u32 {
    match time {
        0..4 => time,
        _ => {
            let doublings = (time.ilog2() - 2) * STRETCHES_PER_DOUBLING;
            let within = (time << 3 >> time.ilog2()) * STRETCHES_PER_DOUBLING / 8 - STRETCHES_PER_DOUBLING;
            (4 + doublings + within).min(31)
        }
    }
}

/// When a stretch begins.
fn begin(stretch: u32) -> f64 {
    match stretch {
        0..4 => f64::from(stretch),
        _ => {
            let (doubled, rest) = ((stretch - 4) / STRETCHES_PER_DOUBLING, (stretch - 4) % STRETCHES_PER_DOUBLING);
            f64::from(1u32 << (2 + doubled)) * (1.0 + f64::from(rest) / f64::from(STRETCHES_PER_DOUBLING))
        }
    }
}

impl Touched {
    pub fn add(&mut self, other: Touched) {
        self.sectors |= other.sectors;
        self.written |= other.written;
        self.stretches.iter_mut().zip(other.stretches).for_each(|(own, other)| *own |= other);
    }

    /// How often sectors were fetched if each stays for a time after it was asked for.
    pub fn fetched(&self, stays: f64) -> u64 {
        let of_one = |stretches: u32| {
            let (mut fetches, mut last) = (1, None);
            for own in (0..32).filter(|own| stretches >> own & 1 == 1) {
                fetches += u64::from(last.is_some_and(|last| begin(own) - last > stays));
                last = Some(begin(own));
            }
            fetches
        };
        (0..4).filter(|sector| self.sectors >> sector & 1 == 1).map(|sector| of_one(self.stretches[sector])).sum()
    }
}
