//! Listening to sampled blocks: which bytes they write, whether they read what other blocks may write, and how much each does.
//!
//! Only allocations that a launch both reads and writes matter for the second. Which these are is known once the first unit has run: from
//! then on bytes are told apart in those only that it has written, and of the others it is noted that they are read.
use super::Bytes;
use machine::probe::{Access, AccessKind, Launch, Probe, Transfer, Who};
use ptx::isa::Space;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A place in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    pub function: u32,
    pub site: u32,
}

/// An allocation: first byte, and one after the last.
type Extent = (u64, u64);

/// The probe.
#[derive(Clone, Default)]
pub struct Watch {
    /// Live allocations by address; the place of one in here is its number.
    allocations: Arc<Vec<Extent>>,
    /// True of each whose reads are told apart byte by byte; all of them for the first unit.
    followed: Arc<Vec<bool>>,
    /// Only which allocations are read matters.
    reads_alone: bool,
    /// Instructions of each basic block, by function.
    lengths: Arc<Vec<Vec<u32>>>,
    /// Blocks of a cluster belong together.
    units: Units,
    /// The allocation that the last access lay in.
    last: usize,
    /// Units that have begun: one, but for clusters and for blocks that wait for each other.
    running: Vec<(u64, Touched)>,
    /// Warp instructions of units that have ended.
    work: FxHashMap<u64, u64>,
    written: Bytes,
    /// For each allocation the first place that writes to it, and the first that reads bytes of it that its own block does not write.
    writers: Vec<Option<Site>>,
    readers: Vec<Option<Site>>,
}

/// How blocks make units.
#[derive(Clone, Copy, Default)]
struct Units {
    grid: [u32; 3],
    cluster: [u32; 3],
}

/// By one unit.
#[derive(Clone, Default)]
struct Touched {
    /// For each allocation that is followed: the bytes, and the first place that reads any.
    read: BTreeMap<usize, (Bytes, Site)>,
    written: Bytes,
    work: u64,
    ended: u32,
}

impl Units {
    /// The number of the unit that a block belongs to.
    fn of(&self, block: u64) -> u64 {
        if self.cluster == [1; 3] {
            return block;
        }
        let [x, y, z] = self.grid.map(u64::from);
        let at = [block % x, block / x % y, block / x / y % z.max(1)];
        let cluster = self.cluster.map(u64::from);
        let unit: [u64; 3] = std::array::from_fn(|axis| at[axis] / cluster[axis]);
        unit[0] + x / cluster[0] * (unit[1] + y / cluster[1] * unit[2])
    }
}

impl Watch {
    /// For launches on a memory with these allocations, ascending.
    pub fn new(allocations: Vec<Extent>) -> Watch {
        let (followed, nobody) = (vec![true; allocations.len()], vec![None; allocations.len()]);
        Watch {
            allocations: Arc::new(allocations),
            followed: Arc::new(followed),
            writers: nobody.clone(),
            readers: nobody,
            ..Watch::default()
        }
    }

    /// The first unit has run: from now on only what it wrote to is followed.
    pub fn follow_what_was_written(&mut self) {
        let followed = self.writers.iter().map(Option::is_some).collect();
        self.followed = Arc::new(followed);
    }

    /// A listener for a launch of which only matters what it reads, with what this one has seen read.
    pub fn of_reads_alone(&self) -> Watch {
        let followed = vec![false; self.allocations.len()];
        Watch { reads_alone: true, followed: Arc::new(followed), readers: self.readers.clone(), ..self.fresh() }
    }

    /// True if it hears of no writes.
    pub fn sees_reads_alone(&self) -> bool {
        self.reads_alone
    }

    /// The first allocation that is both written and read by others: its address, who reads and who writes.
    pub fn shared(&self) -> Option<(u64, Site, Site)> {
        let mut both = self.readers.iter().zip(&self.writers).zip(self.allocations.iter());
        both.find_map(|((&read, &written), &(first, _))| Some((first, read?, written?)))
    }

    /// The first of some allocations that is read, wherever.
    pub fn reads_any(&self, forbidden: &[u64]) -> Option<(u64, Site)> {
        let mut read = self.readers.iter().zip(self.allocations.iter());
        read.find_map(|(&site, &(first, _))| Some((first, site?)).filter(|_| forbidden.contains(&first)))
    }

    /// The bytes that were written.
    pub fn written(&self) -> &Bytes {
        &self.written
    }

    /// Bytes that were written in each allocation, by its address.
    pub fn written_by_allocation(&self) -> BTreeMap<u64, u64> {
        let mut all = BTreeMap::new();
        for (start, bytes) in self.written.ranges() {
            let index = self.allocations.partition_point(|&(first, _)| first <= start).wrapping_sub(1);
            if let Some(&(first, _)) = self.allocations.get(index) {
                *all.entry(first).or_default() += bytes;
            }
        }
        all
    }

    /// Warp instructions of each unit that was run.
    pub fn work(&self) -> Vec<(u64, u64)> {
        self.work.iter().map(|(&unit, &work)| (unit, work)).collect()
    }

    /// A listener for more units of the same launch.
    pub fn fresh(&self) -> Watch {
        Watch {
            running: Vec::new(),
            work: FxHashMap::default(),
            written: Bytes::default(),
            writers: vec![None; self.allocations.len()],
            readers: vec![None; self.allocations.len()],
            ..self.clone()
        }
    }

    /// Adds what another one saw.
    pub fn add(&mut self, other: Watch) {
        self.written.join(other.written);
        self.work.extend(other.work);
        for (own, others) in [(&mut self.writers, other.writers), (&mut self.readers, other.readers)] {
            own.iter_mut().zip(others).for_each(|(own, other)| *own = own.or(other));
        }
    }

    /// The number of the allocation that an address lies in.
    #[inline]
    fn allocation(&mut self, address: u64) -> Option<usize> {
        let inside = |&(start, end): &Extent| (start..end).contains(&address);
        if self.allocations.get(self.last).is_some_and(inside) {
            return Some(self.last);
        }
        let index = self.allocations.partition_point(|&(start, _)| start <= address).checked_sub(1)?;
        self.allocations.get(index).is_some_and(inside).then(|| {
            self.last = index;
            index
        })
    }

    fn touch(&mut self, who: Who, site: u32, address: u64, bytes: u64, writes: bool) {
        let Some(index) = self.allocation(address) else { return };
        let site = Site { function: who.function, site };
        if writes {
            if self.reads_alone {
                return;
            }
            self.writers[index].get_or_insert(site);
        } else if !self.followed[index] {
            self.readers[index].get_or_insert(site);
            return;
        }
        let touched = self.running(who.block_index);
        if writes {
            touched.written.add(address, bytes);
        } else {
            touched.read.entry(index).or_insert_with(|| (Bytes::default(), site)).0.add(address, bytes);
        }
    }

    /// The unit of a block that runs.
    #[inline]
    fn running(&mut self, block: u64) -> &mut Touched {
        let unit = self.units.of(block);
        let at = self.running.iter().position(|(running, _)| *running == unit).unwrap_or_else(|| {
            self.running.push((unit, Touched::default()));
            self.running.len() - 1
        });
        &mut self.running[at].1
    }
}

impl Probe for Watch {
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(self.fresh())
    }
    fn join(&mut self, worker: Box<dyn Probe>) {
        if let Some(other) = worker.concrete::<Watch>() {
            self.add(*other);
        }
    }
    fn launch(&mut self, launch: &Launch) {
        self.units = Units { grid: launch.grid, cluster: launch.cluster };
        if self.lengths.is_empty() {
            let lengths =
                launch.program.functions.iter().map(|f| f.blocks.iter().map(|b| b.sites.len() as u32).collect());
            self.lengths = Arc::new(lengths.collect());
        }
    }
    fn run(&mut self, who: Who, block: u32, _: u32, _: u32) {
        if self.reads_alone {
            return;
        }
        let length = self.lengths.get(who.function as usize).and_then(|blocks| blocks.get(block as usize));
        let length = length.copied().unwrap_or(0);
        self.running(who.block_index).work += u64::from(length);
    }
    fn access(&mut self, access: &Access) {
        if access.space != Space::Global {
            return;
        }
        let writes = access.kind != AccessKind::Load;
        if let Some((first, bytes)) = access.range() {
            return self.touch(access.who, access.site, first, bytes, writes);
        }
        // Neighbours in the order of the lanes are one range: rows of a tile.
        let (mut first, mut bytes) = (0, 0);
        for lane in access.lanes() {
            let address = access.address(lane);
            if address != first + bytes {
                self.touch(access.who, access.site, first, bytes, writes);
                (first, bytes) = (address, 0);
            }
            bytes += u64::from(access.bytes);
        }
        self.touch(access.who, access.site, first, bytes, writes);
    }
    fn transfer_begins(&mut self, transfer: &Transfer) {
        for region in transfer.regions.iter().filter(|region| region.space == Space::Global && region.bytes > 0) {
            let writes = region.kind != AccessKind::Load;
            self.touch(transfer.who, transfer.site, region.address, region.bytes, writes);
        }
    }
    fn block_end(&mut self, _: [u32; 3], block: u64) {
        if self.reads_alone {
            return;
        }
        let blocks_of_a_unit = self.units.cluster.iter().product();
        let touched = self.running(block);
        touched.ended += 1;
        if touched.ended < blocks_of_a_unit {
            return;
        }
        let unit = self.units.of(block);
        let Some(at) = self.running.iter().position(|(running, _)| *running == unit) else { return };
        let (_, touched) = self.running.swap_remove(at);
        for (index, (read, site)) in touched.read {
            if !read.is_in(&touched.written) {
                self.readers[index].get_or_insert(site);
            }
        }
        self.work.insert(unit, touched.work);
        self.written.join(touched.written);
    }
}
