//! Samples of accesses: the addresses of single warps, site by site, from which a picture of an access can be drawn.
//!
//! At most two of each site are kept: the first warp with the most lanes, which nearly always is a full one, and the one that cost the
//! most. Which warps these are depends on the launch alone and not on the host's threads. A probe of its own: who counts does
//! not pay for it.
use super::access_cost::{LastPatterns, access_passes, grow, traffic_of};
use super::coalescing::SECTOR_BYTES;
use super::sample::{Sample, sample};
use super::totals::Line;
use machine::probe::{Access, AccessKind, Launch, Probe};
use machine::program::Program;
use ptx::isa::Space;
use std::collections::BTreeMap;

/// Samples that a source line keeps at most: an unrolled loop has many sites, most of them alike.
const MOST_PER_LINE: usize = 6;

/// The probe.
pub struct Samples {
    bank_bytes: u32,
    /// By function and site.
    functions: Vec<Vec<SiteSamples>>,
}

#[derive(Clone, Default)]
struct SiteSamples {
    fullest: Option<Sample>,
    costliest: Option<Sample>,
    last: LastPatterns,
}

impl Samples {
    /// For a device whose shared memory has banks of `bank_bytes`.
    pub fn new(bank_bytes: u32) -> Self {
        Samples { bank_bytes, functions: Vec::new() }
    }

    /// Adds the samples to the lines that they belong to, those that waste most first; of a line's sites with one pattern, one.
    pub fn add_to(self, lines: &mut [Line], program: &Program) {
        let mut by_line: BTreeMap<(&str, u32), Vec<Sample>> = BTreeMap::new();
        for (function, sites) in program.functions.iter().zip(self.functions) {
            for (site, samples) in function.sites.iter().zip(sites) {
                let file = program.files.get(site.at.file as usize).map_or("", String::as_str);
                let known = by_line.entry((file, site.at.line)).or_default();
                for sample in [samples.fullest, samples.costliest].into_iter().flatten() {
                    if !known.iter().any(|other| other.is_like(&sample)) {
                        known.push(sample);
                    }
                }
            }
        }
        for line in lines {
            let Some(mut samples) = by_line.remove(&(line.file.as_str(), line.line)) else { continue };
            samples.sort_by_key(|sample| std::cmp::Reverse(sample.count - sample.ideal));
            samples.truncate(MOST_PER_LINE);
            line.accesses = samples;
        }
    }

    fn site(&mut self, function: u32, site: u32) -> &mut SiteSamples {
        grow(&mut self.functions, function as usize + 1);
        let sites = &mut self.functions[function as usize];
        grow(sites, site as usize + 1);
        &mut sites[site as usize]
    }
}

impl SiteSamples {
    /// The cost of the access, and the least that it could have.
    fn cost(&mut self, access: &Access, bank_bytes: u32) -> (u64, u64) {
        if access.space == Space::Shared {
            let passes = access_passes(access, bank_bytes, &mut self.last.passes);
            return (passes.wavefronts, passes.ideal);
        }
        let traffic = traffic_of(access, SECTOR_BYTES, &mut self.last.traffic);
        (traffic.sectors, traffic.bytes.div_ceil(SECTOR_BYTES))
    }

    fn access(&mut self, access: &Access, bank_bytes: u32) {
        let (count, ideal) = self.cost(access, bank_bytes);
        let (lanes, place) = (access.lane_count() as usize, (access.who.block_index, access.who.warp));
        let fuller =
            self.fullest.as_ref().is_none_or(|known| is_ahead((lanes, place), (known.lane_count(), known.place())));
        let costlier =
            self.costliest.as_ref().is_none_or(|known| is_ahead((count, place), (known.count, known.place())));
        if fuller || costlier {
            let sample = sample(access, bank_bytes, count, ideal);
            if fuller {
                self.fullest = Some(sample.clone());
            }
            if costlier {
                self.costliest = Some(sample);
            }
        }
    }

    fn join(&mut self, other: SiteSamples) {
        if let Some(sample) = other.fullest {
            let own = self.fullest.as_ref();
            let ahead = |own: &Sample| is_ahead((sample.lane_count(), sample.place()), (own.lane_count(), own.place()));
            if own.is_none_or(ahead) {
                self.fullest = Some(sample);
            }
        }
        if let Some(sample) = other.costliest {
            let own = self.costliest.as_ref();
            if own.is_none_or(|own| is_ahead((sample.count, sample.place()), (own.count, own.place()))) {
                self.costliest = Some(sample);
            }
        }
    }
}

/// More of what counts, or as much and earlier in the grid.
fn is_ahead<T: Ord>(one: (T, (u64, u32)), other: (T, (u64, u32))) -> bool {
    one.0 > other.0 || one.0 == other.0 && one.1 < other.1
}

impl Probe for Samples {
    fn fork(&self) -> Box<dyn Probe> {
        Box::new(Samples::new(self.bank_bytes))
    }

    fn join(&mut self, worker: Box<dyn Probe>) {
        let Some(worker) = worker.concrete::<Self>() else { return };
        for (function, sites) in worker.functions.into_iter().enumerate() {
            for (site, other) in sites.into_iter().enumerate() {
                self.site(function as u32, site as u32).join(other);
            }
        }
    }

    fn launch(&mut self, launch: &Launch) {
        if let Some(last) = launch.function.sites.len().checked_sub(1) {
            self.site(launch.function_id, last as u32);
        }
    }

    fn in_hindsight(&self) -> bool {
        true
    }

    fn access(&mut self, access: &Access) {
        // Atomics on shared memory are counted by the lanes that meet, and not by wavefronts.
        let counted = match access.space {
            Space::Global => true,
            Space::Shared => access.kind != AccessKind::Atomic,
            _ => false,
        };
        if counted {
            let bank_bytes = self.bank_bytes;
            self.site(access.who.function, access.site).access(access, bank_bytes);
        }
    }
}
