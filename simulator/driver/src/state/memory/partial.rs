//! Memory of which a sampled launch has written its blocks' part only: whoever reads it on the device would take the rest for results.
use crate::objects::graphs::{Fill, Transfer, Work};
use crate::state::{Driver, Gpu};

impl Gpu {
    /// The addresses of such allocations; those that were freed are forgotten.
    pub fn written_in_part(&mut self) -> Vec<u64> {
        let memory = &self.memory;
        let lives = |&(address, serial): &(u64, u64)| memory.find(address).is_some_and(|found| found.serial == serial);
        self.partial.retain(lives);
        self.partial.iter().map(|&(address, _)| address).collect()
    }
}

impl Driver {
    /// A copy or a fill is done: an allocation that it has written from its beginning to its end is whole again.
    pub fn forget_parts(&mut self, work: &Work) {
        let (start, bytes) = match work {
            Work::Copy(Transfer { height: 1, depth: 1, to, width, .. }) => (*to, *width as u64),
            Work::Fill(fill @ Fill { height: 1, at, .. }) => (*at, fill.reach()),
            _ => return,
        };
        for device in &mut self.devices {
            let memory = &device.memory;
            let whole = |address: u64| {
                memory.find(address).is_some_and(|found| start <= address && address + found.bytes <= start + bytes)
            };
            device.partial.retain(|&(address, _)| !whole(address));
        }
    }
}
