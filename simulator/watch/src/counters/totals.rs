//! The counts as data: per launch and per source line. Keys are those that reports and tests see; a counter that
//! was not collected is absent, not zero.
use super::bank_conflicts::Passes;
use super::coalescing::Traffic;
use super::first_page::FirstPage;
use super::sample::Sample;
use machine::probe::Access;
use ptx::isa::Class;
use serde::Serialize;
use std::collections::BTreeMap;

/// All counters of one launch. Percentages are 0 … 100.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Warp instructions, and what their lanes add up to without those that a predicate switched off.
    pub instructions: u64,
    pub thread_instructions: u64,
    /// Lanes that a predicate switched off, summed over guarded instructions.
    pub predicated_off: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_lanes_per_instruction: Option<f64>,
    /// Floating-point operations of all threads; a fused multiply-add has two.
    pub flops: u64,
    #[serde(flatten)]
    pub memory: Memory,
    pub barriers: u64,
    /// In a cooperative launch: how many times as much as the mean its busiest block ran, by basic blocks and lanes. 1 where the work is even.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busiest_block: Option<f64>,
    /// Conditional branches executed by warps; those that parted a warp's lanes.
    pub branches: u64,
    pub divergent_branches: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch_efficiency: Option<f64>,
    /// Floating-point operations per global access of a thread, as measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cgma: Option<f64>,
    /// Facts of the launch that its device gives; filled in by whoever knows the device.
    #[serde(flatten)]
    pub residency: Residency,
    /// Where accesses were answered, as the clock has it; filled in likewise.
    #[serde(flatten)]
    pub answered: Option<Answered>,
    /// How busy the card was, as the clock has it; filled in likewise.
    #[serde(flatten)]
    pub first_page: Option<FirstPage>,
    /// Warp instructions by class, in the order of their names.
    pub instructions_by_class: BTreeMap<Class, u64>,
    /// The work of matrix products for tensor units, in multiply-adds of 16-bit elements: for the clock, not a profiler's counter.
    #[serde(skip)]
    pub tensor_fmas: u64,
}

/// How many blocks a multiprocessor holds, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Residency {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registers: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks_per_multiprocessor: Option<u32>,
    /// Percent of the multiprocessor's warps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theoretical_occupancy: Option<f64>,
}

/// Bytes that crossed a boundary, both ways together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Answered {
    /// Between L1 and L2.
    pub l2_bytes: u64,
    /// Between L2 and the card's memory: none where all that a launch touches stays in L2.
    pub memory_bytes: u64,
    /// Over the bus, to and from mapped host memory.
    pub host_bytes: u64,
}

/// The counters of memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Memory {
    pub global_load_requests: u64,
    pub global_load_sectors: u64,
    pub global_load_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global_load_efficiency: Option<f64>,
    pub global_store_requests: u64,
    pub global_store_sectors: u64,
    pub global_store_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global_store_efficiency: Option<f64>,
    /// Global loads, stores and atomics of single threads.
    pub global_accesses: u64,
    /// Bytes that those ask for: each thread counts, also where several ask for the same. Without bulk copies.
    pub global_thread_bytes: u64,
    pub shared_load_accesses: u64,
    pub shared_load_wavefronts: u64,
    pub shared_store_accesses: u64,
    pub shared_store_wavefronts: u64,
    pub shared_atomic_accesses: u64,
    pub shared_atomic_wavefronts: u64,
    /// Bytes that threads ask shared memory for, as [`Memory::global_thread_bytes`].
    pub shared_load_thread_bytes: u64,
    pub shared_store_thread_bytes: u64,
    pub shared_conflicts: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_efficiency: Option<f64>,
    pub local_load_requests: u64,
    pub local_load_sectors: u64,
    pub local_store_requests: u64,
    pub local_store_sectors: u64,
    pub constant_requests: u64,
    /// Atomics of warps on global and shared memory, their sectors, and the lanes that had to wait for another lane of
    /// their warp at the same address.
    pub atomics: u64,
    pub atomic_lanes: u64,
    pub atomic_sectors: u64,
    pub atomic_conflicts: u64,
    /// Those of them that are a warp's arrival at the barrier of a cooperative grid; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grid_barriers: Option<u64>,
    /// Bulk and tensor copies and what `st.async` and `red.async` send, and the bytes that they move; absent where there are
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfers: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer_global_load_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer_global_store_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer_shared_bytes: Option<u64>,
    /// Fetches of textures, loads from surfaces and stores to them, each with the sectors of its warps; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texture_requests: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texture_sectors: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface_load_requests: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface_load_sectors: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface_store_requests: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface_store_sectors: Option<u64>,
}

/// The cost of one source line.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    pub file: String,
    pub line: u32,
    pub instructions: u64,
    pub thread_instructions: u64,
    pub flops: u64,
    #[serde(flatten)]
    pub memory: Memory,
    pub barriers: u64,
    pub branches: u64,
    pub divergent_branches: u64,
    /// The line's part of each term of the clock, in nanoseconds.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub clock_ns: BTreeMap<&'static str, f64>,
    /// The reasons for which warps wait before instructions of the line, in percent of what all warps wait, where the clock played blocks through.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub stalls: BTreeMap<&'static str, f64>,
    /// For the clock.
    #[serde(skip)]
    pub instructions_by_class: BTreeMap<Class, u64>,
    #[serde(skip)]
    pub tensor_fmas: u64,
    /// Single accesses of this line, where samples were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accesses: Vec<Sample>,
}

/// Adding up what several workers, sites or lines counted.
pub(super) trait Merge {
    /// Adds the other's counts.
    fn merge(&mut self, other: &Self);
    /// Makes each count so many times as large, to the nearest whole number.
    fn scale(&mut self, factor: f64);
}

impl Merge for u64 {
    fn merge(&mut self, other: &Self) {
        *self += other;
    }
    fn scale(&mut self, factor: f64) {
        *self = (*self as f64 * factor).round() as u64;
    }
}

impl<T: Merge> Merge for [T; 2] {
    fn merge(&mut self, other: &Self) {
        self.iter_mut().zip(other).for_each(|(to, from)| to.merge(from));
    }
    fn scale(&mut self, factor: f64) {
        self.iter_mut().for_each(|count| count.scale(factor));
    }
}

/// Structures of counts. Naming a count here is all that it takes to have it merged.
macro_rules! counts {
    ($($(#[$meta:meta])* $visible:vis struct $name:ident { $($shown:vis $field:ident: $type:ty),* $(,)? })*) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default)]
        $visible struct $name {
            $($shown $field: $type),*
        }

        impl crate::counters::totals::Merge for $name {
            fn merge(&mut self, other: &Self) {
                $(crate::counters::totals::Merge::merge(&mut self.$field, &other.$field);)*
            }
            fn scale(&mut self, factor: f64) {
                $(crate::counters::totals::Merge::scale(&mut self.$field, factor);)*
            }
        }
    )* };
}
pub(super) use counts;

/// Index of loads and of stores in the pairs of [`SiteCounts`].
pub const LOAD: usize = 0;
/// See [`LOAD`].
pub const STORE: usize = 1;

counts! {
    /// The counts of one site of a function.
    pub struct SiteCounts {
        pub global: [Global; 2],
        pub local: [Global; 2],
        pub shared: [Shared; 2],
        pub constant_requests: u64,
        pub atomic: Atomic,
        pub transfers: Transfers,
        pub texture: Texture,
        pub barriers: u64,
        pub branches: u64,
        pub divergent: u64,
        pub predicated_off: u64,
    }

    /// Accesses of one kind to global or local memory.
    pub struct Global {
        pub requests: u64,
        pub lanes: u64,
        pub lane_bytes: u64,
        pub traffic: Traffic,
    }

    /// Accesses of one kind to shared memory.
    pub struct Shared {
        pub accesses: u64,
        pub lane_bytes: u64,
        pub passes: Passes,
    }

    /// The traffic of the asynchronous proxy for one site: bytes of global memory, and of shared memory read and written.
    pub struct Transfers {
        pub count: u64,
        pub loaded_bytes: u64,
        pub stored_bytes: u64,
        pub shared_bytes: u64,
    }

    /// Fetches of textures and accesses to surfaces of one site, by warps, and their sectors.
    pub struct Texture {
        pub fetches: u64,
        pub fetch_sectors: u64,
        pub surface_loads: u64,
        pub surface_load_sectors: u64,
        pub surface_stores: u64,
        pub surface_store_sectors: u64,
    }

    /// Atomics of one site.
    pub struct Atomic {
        pub requests: u64,
        pub lanes: u64,
        pub sectors: u64,
        pub conflicts: u64,
        pub global_lanes: u64,
        pub global_lane_bytes: u64,
        pub grid_barriers: u64,
        pub shared_requests: u64,
        pub passes: Passes,
    }
}

impl Global {
    #[inline(always)]
    pub fn add(&mut self, access: &Access, traffic: Traffic) {
        self.add_of(access.lane_count(), access.bytes, traffic);
    }

    /// One access of so many lanes, so many bytes each.
    #[inline(always)]
    pub fn add_of(&mut self, lanes: u32, bytes: u32, traffic: Traffic) {
        self.add_many(1, lanes, bytes, traffic);
    }

    /// So many of them, which cost `traffic` together.
    #[inline(always)]
    pub fn add_many(&mut self, number: u64, lanes: u32, bytes: u32, traffic: Traffic) {
        self.requests += number;
        self.lanes += number * u64::from(lanes);
        self.lane_bytes += number * u64::from(lanes * bytes);
        self.traffic += traffic;
    }
}

impl Shared {
    /// One access of so many lanes, so many bytes each.
    #[inline(always)]
    pub fn add(&mut self, lanes: u32, bytes: u32, passes: Passes) {
        self.accesses += 1;
        self.lane_bytes += u64::from(lanes * bytes);
        self.passes += passes;
    }

    /// So many of them, all alike.
    pub fn add_many(&mut self, number: u64, lanes: u32, bytes: u32, passes: Passes) {
        self.accesses += number;
        self.lane_bytes += number * u64::from(lanes * bytes);
        self.passes.wavefronts += number * passes.wavefronts;
        self.passes.ideal += number * passes.ideal;
        self.passes.bytes += number * passes.bytes;
    }
}

/// A value of what is counted, where there is any.
fn some(count: u64, value: u64) -> Option<u64> {
    (count > 0).then_some(value)
}

impl SiteCounts {
    /// The counters of memory that these counts make.
    pub fn memory(&self, bank_bytes: u32) -> Memory {
        let [load, store] = &self.global;
        let [local_load, local_store] = &self.local;
        let [shared_load, shared_store] = &self.shared;
        let texture = &self.texture;
        let mut shared = shared_load.passes;
        shared += shared_store.passes;
        shared += self.atomic.passes;
        Memory {
            global_load_requests: load.requests,
            global_load_sectors: load.traffic.sectors,
            global_load_bytes: load.traffic.bytes,
            global_load_efficiency: load.traffic.efficiency_percent(),
            global_store_requests: store.requests,
            global_store_sectors: store.traffic.sectors,
            global_store_bytes: store.traffic.bytes,
            global_store_efficiency: store.traffic.efficiency_percent(),
            global_accesses: load.lanes + store.lanes + self.atomic.global_lanes,
            global_thread_bytes: load.lane_bytes + store.lane_bytes + self.atomic.global_lane_bytes,
            shared_load_accesses: shared_load.accesses,
            shared_load_wavefronts: shared_load.passes.wavefronts,
            shared_store_accesses: shared_store.accesses,
            shared_store_wavefronts: shared_store.passes.wavefronts,
            shared_atomic_accesses: self.atomic.shared_requests,
            shared_atomic_wavefronts: self.atomic.passes.wavefronts,
            shared_load_thread_bytes: shared_load.lane_bytes,
            shared_store_thread_bytes: shared_store.lane_bytes,
            shared_conflicts: shared.conflicts(),
            shared_efficiency: shared.efficiency_percent(bank_bytes),
            local_load_requests: local_load.requests,
            local_load_sectors: local_load.traffic.sectors,
            local_store_requests: local_store.requests,
            local_store_sectors: local_store.traffic.sectors,
            constant_requests: self.constant_requests,
            atomics: self.atomic.requests,
            atomic_lanes: self.atomic.lanes,
            atomic_sectors: self.atomic.sectors,
            atomic_conflicts: self.atomic.conflicts,
            grid_barriers: some(self.atomic.grid_barriers, self.atomic.grid_barriers),
            transfers: some(self.transfers.count, self.transfers.count),
            transfer_global_load_bytes: some(self.transfers.count, self.transfers.loaded_bytes),
            transfer_global_store_bytes: some(self.transfers.count, self.transfers.stored_bytes),
            transfer_shared_bytes: some(self.transfers.count, self.transfers.shared_bytes),
            texture_requests: some(texture.fetches, texture.fetches),
            texture_sectors: some(texture.fetches, texture.fetch_sectors),
            surface_load_requests: some(texture.surface_loads, texture.surface_loads),
            surface_load_sectors: some(texture.surface_loads, texture.surface_load_sectors),
            surface_store_requests: some(texture.surface_stores, texture.surface_stores),
            surface_store_sectors: some(texture.surface_stores, texture.surface_store_sectors),
        }
    }
}
