//! The listener that counts: it gives each access to the definitions in `bank_conflicts` and `coalescing`, and adds up what they say.
//!
//! Instruction counts come from runs of basic blocks, so that an arithmetic instruction costs nothing to count; accesses are counted one by
//! one, in closed form where the executor knows the pattern, else from the site's last pattern.
use super::access_cost::{LastPatterns, access_passes, distinct_addresses, grow, local_traffic, traffic_of};
use super::bank_conflicts::range_passes;
use super::coalescing::{SECTOR_BYTES, Traffic, interleaved, traffic_of_range};
use super::totals::{LOAD, Merge, STORE, SiteCounts, counts};
use machine::probe::banks::WORD;
use machine::probe::{
    self, Access, AccessKind, Arrival, Launch, MOST_WARPS, Passage, Probe, Step, TextureAccess, Transfer, WarpElements,
    WarpLoad, Who,
};
use ptx::isa::Space;

/// The probe. [`Counters::report`] makes its figures once the launch is over.
pub struct Counters {
    /// Width of a shared-memory bank of the device: 8 on Kepler, else 4.
    pub(super) bank_bytes: u32,
    store_piece_bytes: u64,
    grid_barrier: Option<[u64; 2]>,
    pub(super) functions: Vec<FunctionCounts>,
    /// In a cooperative launch: basic blocks that each block of the grid ran, by lanes.
    run_by_block: Vec<u64>,
}

/// Counts of one function of the program, per site and per basic block.
#[derive(Clone, Default)]
pub(super) struct FunctionCounts {
    pub(super) sites: Vec<SiteCounts>,
    /// Loads of whole warps from shared memory, by site: part of what `sites` will have.
    whole_loads: Vec<WholeLoads>,
    /// The last irregular patterns, up to the last site that had one.
    patterns: Vec<LastPatterns>,
    pub(super) blocks: Vec<BlockRuns>,
}

/// Loads of whole warps from shared memory at one site, which cannot conflict: their number says all of them.
#[derive(Clone, Copy, Default)]
struct WholeLoads {
    /// All lanes from one address, and neighbours in the order of the lanes.
    same: u64,
    dense: u64,
    /// Bytes of an element, which the site's instruction fixes.
    bytes: u8,
}

impl WholeLoads {
    #[inline(always)]
    fn add(&mut self, number: u64, elements: WarpElements) {
        self.bytes = elements.bytes;
        *if elements.dense { &mut self.dense } else { &mut self.same } += number;
    }

    fn add_to(self, counts: &mut SiteCounts, bank_bytes: u32) {
        for (number, dense) in [(self.same, false), (self.dense, true)] {
            let elements = WarpElements { space: Space::Shared, bytes: self.bytes, dense };
            let bytes = u32::from(self.bytes);
            if let (1.., Some(passes)) =
                (number, range_passes(AccessKind::Load, !0, bytes, elements.span(), bank_bytes))
            {
                counts.shared[LOAD].add_many(number, 32, bytes, passes);
            }
        }
    }
}

impl FunctionCounts {
    /// A full warp's load, in a few additions. `None`: nothing is counted yet. `word_banks`: banks are as wide as a word.
    #[inline(always)]
    fn load_of_range(&mut self, load: &WarpLoad, word_banks: bool) -> Option<()> {
        let WarpLoad { address, site, elements } = *load;
        match elements.space {
            Space::Global => {
                let traffic = traffic_of_range(address, elements.span(), SECTOR_BYTES);
                self.sites.get_mut(site as usize)?.global[LOAD].add_of(32, elements.bytes.into(), traffic);
            }
            // Wider banks may need a second pass, by the address.
            Space::Shared if word_banks && u64::from(elements.bytes) <= WORD => {
                self.whole_loads.get_mut(site as usize)?.add(1, elements);
            }
            _ => return None,
        }
        Some(())
    }

    pub(super) fn all_counts(&self, bank_bytes: u32) -> Vec<SiteCounts> {
        let mut sites = self.sites.clone();
        sites.iter_mut().zip(&self.whole_loads).for_each(|(counts, loads)| loads.add_to(counts, bank_bytes));
        sites
    }
}

counts! {
    /// How often a basic block was run by warps, and by how many lanes in all.
    pub(super) struct BlockRuns {
        pub(super) warps: u64,
        pub(super) lanes: u64,
    }
}

impl Counters {
    /// Counts for a device whose shared memory has banks of `bank_bytes` and which stores to global memory in pieces of
    /// `store_piece_bytes`.
    pub fn new(bank_bytes: u32, store_piece_bytes: u32) -> Self {
        Self {
            bank_bytes,
            store_piece_bytes: store_piece_bytes.into(),
            grid_barrier: None,
            functions: Vec::new(),
            run_by_block: Vec::new(),
        }
    }

    /// Adds what was counted elsewhere: by another worker, or in another launch of the same program.
    pub fn add(&mut self, other: &Counters) {
        for (index, from) in other.functions.iter().enumerate() {
            let to = self.function(index as u32);
            grow(&mut to.sites, from.sites.len());
            grow(&mut to.blocks, from.blocks.len());
            to.sites.iter_mut().zip(&from.all_counts(other.bank_bytes)).for_each(|(to, from)| to.merge(from));
            to.blocks.iter_mut().zip(&from.blocks).for_each(|(to, from)| to.merge(from));
        }
        grow(&mut self.run_by_block, other.run_by_block.len());
        self.run_by_block.iter_mut().zip(&other.run_by_block).for_each(|(to, from)| to.merge(from));
    }

    /// Makes every count so many times as large: for blocks that stand for others.
    pub fn scale(&mut self, factor: f64) {
        for function in &mut self.functions {
            function.sites = function.all_counts(self.bank_bytes);
            function.whole_loads.clear();
            function.sites.iter_mut().for_each(|counts| counts.scale(factor));
            function.blocks.iter_mut().for_each(|counts| counts.scale(factor));
        }
    }

    #[inline(always)]
    fn function(&mut self, function: u32) -> &mut FunctionCounts {
        grow(&mut self.functions, function as usize + 1);
        &mut self.functions[function as usize]
    }

    #[inline(always)]
    fn site(&mut self, who: Who, site: u32) -> &mut SiteCounts {
        let sites = &mut self.function(who.function).sites;
        grow(sites, site as usize + 1);
        &mut sites[site as usize]
    }
}

impl Probe for Counters {
    fn fork(&self) -> Box<dyn Probe> {
        let mut fresh = Self { functions: Vec::new(), run_by_block: Vec::new(), ..*self };
        fresh.functions = self
            .functions
            .iter()
            .map(|f| FunctionCounts {
                sites: vec![SiteCounts::default(); f.sites.len()],
                whole_loads: vec![WholeLoads::default(); f.whole_loads.len()],
                patterns: Vec::new(),
                blocks: vec![BlockRuns::default(); f.blocks.len()],
            })
            .collect();
        Box::new(fresh)
    }

    fn join(&mut self, worker: Box<dyn Probe>) {
        if let Some(worker) = worker.concrete::<Self>() {
            self.add(&worker);
        }
    }

    /// Room for what the kernel itself counts; the functions that it calls get theirs when they count.
    fn launch(&mut self, launch: &Launch) {
        self.grid_barrier = launch.grid_barrier;
        let counts = self.function(launch.function_id);
        grow(&mut counts.sites, launch.function.sites.len());
        grow(&mut counts.whole_loads, launch.function.sites.len());
        grow(&mut counts.blocks, launch.function.blocks.len());
    }

    #[inline(always)]
    fn run(&mut self, who: Who, block: u32, mask: u32, _live: u32) {
        let blocks = &mut self.function(who.function).blocks;
        let index = block as usize;
        grow(blocks, index + 1);
        let lanes = u64::from(if mask == !0 { 32 } else { mask.count_ones() });
        blocks[index].warps += 1;
        blocks[index].lanes += lanes;
        if self.grid_barrier.is_some() {
            self.run_by(who.block_index, lanes);
        }
    }

    fn guarded(&mut self, who: Who, site: u32, active: u32, mask: u32) {
        self.site(who, site).predicated_off += u64::from((active & !mask).count_ones());
    }

    #[inline(always)]
    fn branch(&mut self, who: Who, site: u32, active: u32, taken: u32) {
        let counts = self.site(who, site);
        counts.branches += 1;
        counts.divergent += u64::from(taken & active != 0 && taken & active != active);
    }

    #[inline(always)]
    fn warp_loads(&mut self, who: &Who, loads: &[WarpLoad]) {
        let word_banks = u64::from(self.bank_bytes) == WORD;
        let Some(function) = self.functions.get_mut(who.function as usize) else {
            return self.loads_of_any(who, loads);
        };
        for (number, load) in loads.iter().enumerate() {
            if function.load_of_range(load, word_banks).is_none() {
                return self.loads_of_any(who, &loads[number..]);
            }
        }
    }

    fn in_hindsight(&self) -> bool {
        true
    }

    fn passage(&mut self, passage: &Passage) {
        let warps = passage.warps();
        let [who, ..] = *warps else { return };
        for step in passage.steps() {
            match *step {
                Step::Loads { site, elements, columns, row } => {
                    let addresses = passage.addresses(row);
                    if self.loads_of_range(who.function, (site, elements), columns, addresses).is_none() {
                        for column in probe::columns(columns) {
                            let load = WarpLoad { address: addresses[column], site, elements };
                            self.access(&load.access(&warps[column]));
                        }
                    }
                }
                Step::Stores { site, elements, columns, row } => {
                    for column in probe::columns(columns) {
                        self.access(&passage.store(site, elements, row, column));
                    }
                }
                Step::Run { block } => warps.iter().for_each(|&who| self.run(who, block, !0, !0)),
                Step::Branch { site, .. } => self.site(who, site).branches += warps.len() as u64,
                Step::Guarded { site, columns, first } => {
                    for column in probe::columns(columns) {
                        let (active, mask) = passage.guard(first, columns, column);
                        self.guarded(warps[column], site, active, mask);
                    }
                }
                Step::Accesses { columns, first, .. } => {
                    for column in probe::columns(columns) {
                        self.access(&passage.access_of(first, columns, column));
                    }
                }
            }
        }
    }

    /// All was counted at once.
    fn passed(&mut self, _: &Passage, _: usize) {}

    fn access(&mut self, access: &Access) {
        if self.access_of_range(access).is_none() {
            self.access_of_any(access);
        }
    }

    fn texture(&mut self, access: &TextureAccess) {
        let counts = &mut self.site(access.who, access.site).texture;
        let (requests, sectors) = match (access.of_surface, access.kind) {
            (false, _) => (&mut counts.fetches, &mut counts.fetch_sectors),
            (true, AccessKind::Load) => (&mut counts.surface_loads, &mut counts.surface_load_sectors),
            (true, _) => (&mut counts.surface_stores, &mut counts.surface_store_sectors),
        };
        *requests += 1;
        *sectors += access.sectors();
    }

    /// Products of four warps read shared memory too, but are counted as instructions.
    fn transfer_begins(&mut self, transfer: &Transfer) {
        if transfer.lane >= 32 {
            return;
        }
        let counts = &mut self.site(transfer.who, transfer.site).transfers;
        counts.count += 1;
        for region in transfer.regions {
            *match (region.space, region.kind) {
                (Space::Shared, _) => &mut counts.shared_bytes,
                (_, AccessKind::Load) => &mut counts.loaded_bytes,
                _ => &mut counts.stored_bytes,
            } += region.bytes;
        }
    }

    fn barrier_arrive(&mut self, arrival: &Arrival) {
        self.site(arrival.who, arrival.site).barriers += 1;
    }
}

impl Counters {
    /// Blocks of a cooperative grid are all resident, so there are never many.
    #[inline(never)]
    fn run_by(&mut self, block_index: u64, lanes: u64) {
        let index = block_index as usize;
        grow(&mut self.run_by_block, index + 1);
        self.run_by_block[index] += lanes;
    }

    /// How many times as much as the mean the busiest block of a cooperative grid ran; `None` of other launches.
    pub(super) fn busiest_block(&self) -> Option<f64> {
        let most = self.run_by_block.iter().max()?;
        let sum: u64 = self.run_by_block.iter().sum();
        Some(*most as f64 * self.run_by_block.len() as f64 / sum as f64)
    }

    /// Loads of several full warps, those in `columns`. `None`: nothing is counted yet.
    #[inline(always)]
    fn loads_of_range(
        &mut self,
        function: u32,
        (site, elements): (u32, WarpElements),
        columns: u8,
        addresses: &[u64; MOST_WARPS],
    ) -> Option<()> {
        let number = u64::from(columns.count_ones());
        let bytes = u32::from(elements.bytes);
        let function = self.functions.get_mut(function as usize)?;
        match elements.space {
            Space::Global => {
                let of = |address| traffic_of_range(address, elements.span(), SECTOR_BYTES);
                let mut sum = Traffic::default();
                probe::columns(columns).for_each(|column| sum += of(addresses[column]));
                function.sites.get_mut(site as usize)?.global[LOAD].add_many(number, 32, bytes, sum);
            }
            Space::Shared if u64::from(self.bank_bytes) == WORD && u64::from(elements.bytes) <= WORD => {
                function.whole_loads.get_mut(site as usize)?.add(number, elements);
            }
            _ => return None,
        }
        Some(())
    }

    /// The first of these loads like any other access, and those after it by the short way again.
    #[inline(never)]
    fn loads_of_any(&mut self, who: &Who, loads: &[WarpLoad]) {
        if let [first, rest @ ..] = loads {
            self.access(&first.access(who));
            self.warp_loads(who, rest);
        }
    }

    /// The most frequent accesses, each in a few additions. `None`: nothing is counted yet.
    #[inline(always)]
    fn access_of_range(&mut self, access: &Access) -> Option<()> {
        let counts = self.functions.get_mut(access.who.function as usize)?.sites.get_mut(access.site as usize)?;
        let (first, bytes) = access.range()?;
        let kind = match access.kind {
            AccessKind::Load => LOAD,
            AccessKind::Store => STORE,
            AccessKind::Atomic => return None,
        };
        match access.space {
            // A constant for loads, which are the most.
            Space::Global if kind == LOAD => {
                counts.global[LOAD].add(access, traffic_of_range(first, bytes, SECTOR_BYTES));
            }
            Space::Global => {
                counts.global[STORE].add(access, traffic_of_range(first, bytes, self.store_piece_bytes));
            }
            Space::Shared if access.bytes <= self.bank_bytes => {
                let passes = range_passes(access.kind, access.mask, access.bytes, bytes, self.bank_bytes)?;
                counts.shared[kind].add(access.lane_count(), access.bytes, passes);
            }
            _ => return None,
        }
        Some(())
    }

    #[inline(never)]
    fn access_of_any(&mut self, access: &Access) {
        let (bank_bytes, store_piece_bytes, grid_barrier) =
            (self.bank_bytes, self.store_piece_bytes, self.grid_barrier);
        let site = access.site as usize;
        let FunctionCounts { sites, whole_loads, patterns, .. } = self.function(access.who.function);
        grow(sites, site + 1);
        grow(whole_loads, site + 1);
        grow(patterns, site + 1);
        let (counts, last) = (&mut sites[site], &mut patterns[site]);
        let kind = if access.kind == AccessKind::Load { LOAD } else { STORE };
        let active = u64::from(access.mask.count_ones());
        match (access.space, access.kind) {
            (Space::Global | Space::Shared, AccessKind::Atomic) => {
                counts.atomic.requests += 1;
                counts.atomic.lanes += active;
                counts.atomic.conflicts += active - distinct_addresses(access);
                if access.space == Space::Shared {
                    counts.atomic.shared_requests += 1;
                    counts.atomic.passes += access_passes(access, bank_bytes, &mut last.passes);
                }
                if access.space == Space::Global {
                    counts.atomic.global_lanes += active;
                    counts.atomic.global_lane_bytes += active * u64::from(access.bytes);
                    let arrives = |[from, to]: [u64; 2]| (from..to).contains(&access.first_address());
                    counts.atomic.grid_barriers += u64::from(grid_barrier.is_some_and(arrives));
                    counts.atomic.sectors += traffic_of(access, SECTOR_BYTES, &mut last.traffic).sectors;
                }
            }
            (Space::Global, _) => {
                let piece = if kind == LOAD { SECTOR_BYTES } else { store_piece_bytes };
                counts.global[kind].add(access, traffic_of(access, piece, &mut last.traffic));
            }
            (Space::Shared, _) => {
                let passes = access_passes(access, bank_bytes, &mut last.passes);
                counts.shared[kind].add(access.lane_count(), access.bytes, passes);
            }
            (Space::Local, _) => {
                let places = std::array::from_fn(|lane| interleaved(lane, access.address(lane)));
                counts.local[kind].add(access, local_traffic(access, &places, &mut last.traffic));
            }
            (Space::Const, _) => counts.constant_requests += 1,
            (Space::Param | Space::Generic, _) => {}
        }
    }
}
