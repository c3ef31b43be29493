//! Volatile updates: a word is read by one volatile instruction and written back by another, so that what others write in
//! between is lost.
use machine::probe::AccessKind;
use machine::probe::{Access, Strength, lanes};

/// The lanes of a volatile store that write back, changed, what they have just read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Updates {
    pub lanes: u32,
}

/// The latest volatile loads of a warp.
#[derive(Clone, Debug, Default)]
pub struct VolatileLoads {
    loads: Vec<Load>,
}

#[derive(Clone, Debug)]
struct Load {
    function: u32,
    site: u32,
    mask: u32,
    addresses: [u64; 32],
}

/// So many are remembered: a statement reads few words before it writes.
const MOST: usize = 8;

impl VolatileLoads {
    /// Notes an access if it is a volatile load, and finds out what it is if it is a volatile store. `block`: the sites of
    /// a site's basic block. Within one, a load of a word and then a store to it are one update of it.
    pub fn access(&mut self, access: &Access, block: impl Fn(u32, u32) -> std::ops::Range<u32>) -> Updates {
        let here = access.who.function;
        match (access.kind, access.order.strength) {
            (AccessKind::Load, Strength::Volatile | Strength::Relaxed) => {
                self.loads.retain(|load| (load.function, load.site) != (here, access.site));
                if self.loads.len() == MOST {
                    self.loads.remove(0);
                }
                let addresses = std::array::from_fn(|lane| access.address(lane));
                self.loads.push(Load { function: here, site: access.site, mask: access.mask, addresses });
            }
            (AccessKind::Store, Strength::Volatile | Strength::Relaxed) if !self.loads.is_empty() => {
                let block = block(here, access.site);
                let before =
                    |load: &&Load| load.function == here && block.contains(&load.site) && load.site < access.site;
                let changes = |lane: u32| {
                    let n = access.bytes.min(16) as usize;
                    access.stored.is_none_or(|stored| stored.value(lane)[..n] != stored.current(lane)[..n])
                };
                let mut found = 0;
                for load in self.loads.iter().filter(before) {
                    let same = lanes(load.mask & access.mask & !found);
                    same.filter(|&lane| load.addresses[lane] == access.address(lane) && changes(lane as u32))
                        .for_each(|lane| found |= 1 << lane);
                }
                return Updates { lanes: found };
            }
            _ => {}
        }
        Updates::default()
    }
}
