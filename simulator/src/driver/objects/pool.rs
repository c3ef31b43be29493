//! Memory pools.

/// A pool. It holds nothing back: what is freed is free.
pub struct Pool {
    pub device: usize,
    pub is_default: bool,
    /// Attributes 1 to 4, as they were set.
    pub settings: [u64; 4],
    pub high: u64,
}

impl Pool {
    /// A pool of a device.
    pub fn new(device: usize, is_default: bool) -> Self {
        Pool { device, is_default, settings: [1, 1, 1, 0], high: 0 }
    }
}
