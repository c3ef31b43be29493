//! What goes past L1, counted over a sample of lines or of blocks.
use super::Traffic;

/// Sectors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub l2: u64,
    /// Of these, sectors that a store fills only in part.
    pub partial: u64,
    pub host: u64,
    /// Of these, those that are written.
    pub host_written: u64,
}

impl Counts {
    pub fn add(&mut self, other: Counts) {
        self.l2 += other.l2;
        self.partial += other.partial;
        self.host += other.host;
        self.host_written += other.host_written;
    }

    fn times(self, factor: f64) -> Counts {
        let times = |count: u64| (count as f64 * factor).round() as u64;
        let Counts { l2, partial, host, host_written } = self;
        Counts { l2: times(l2), partial: times(partial), host: times(host), host_written: times(host_written) }
    }
}

/// How much seldomer than others the blocks that are followed with all their lines may access memory and still speak for them.
const MOST_APART: u64 = 4;

impl Traffic {
    /// What goes past L1 in the whole launch: of the blocks that were followed with all their lines, by the accesses of all. A few lines that
    /// all ask for, such as a short vector, may not be among those that are followed in all blocks; these count where the others have little to
    /// do, as in a launch of which one block works.
    pub(super) fn counts(&self) -> Counts {
        let [in_part, whole] = self.accesses;
        let all = in_part + whole;
        match whole.saturating_mul(MOST_APART) << self.sample_of_blocks >= all {
            true => self.of_blocks.times(all as f64 / whole.max(1) as f64),
            false => self.of_lines.times(f64::from(1u32 << self.sample)),
        }
    }
}
