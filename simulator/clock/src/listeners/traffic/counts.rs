//! The sectors that go past L1, counted over a sample of lines or of blocks.

/// Sectors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub l2: u64,
    /// The part of these that a store fills only in part.
    pub partial: u64,
    pub host: u64,
    /// The part of these that is written.
    pub host_written: u64,
}

impl Counts {
    pub fn add(&mut self, other: Counts) {
        self.l2 += other.l2;
        self.partial += other.partial;
        self.host += other.host;
        self.host_written += other.host_written;
    }

    pub fn times(self, factor: f64) -> Counts {
        let times = |count: u64| (count as f64 * factor).round() as u64;
        let Counts { l2, partial, host, host_written } = self;
        Counts { l2: times(l2), partial: times(partial), host: times(host), host_written: times(host_written) }
    }
}
