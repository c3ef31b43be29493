//! A launch's traffic, scaled from the samples to the whole of it.
use super::counts::Counts;
use super::sampled::Traffic;
use super::touched::Touched;
use crate::constants::{KEPT_OF_L2, LINE_BYTES, MOST_APART, SECTOR_BYTES};
use crate::listeners::atomic_queue::Queue;
use rustc_hash::{FxHashMap, FxHashSet};

/// The traffic of a launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    pub l2_sectors: u64,
    /// The part of these that a store filled only in part.
    pub partial_sectors: u64,
    /// Bytes of different sectors that the launch touched.
    pub footprint_bytes: u64,
    /// The same of different lines, and of those of which whole sectors are written.
    pub line_bytes: u64,
    pub written_bytes: u64,
    /// Bytes that are fetched for each wave by itself, added up.
    pub wave_bytes: u64,
    pub host_bytes: u64,
    /// The part of these that is written.
    pub host_written_bytes: u64,
    /// Lines that accesses of warps touch, beyond the first of each.
    pub more_lines: u64,
    /// Atomics: see [`Atomics`](crate::listeners::atomics::Atomics).
    pub atomic_steps: u64,
    pub answered_atomics: u64,
    pub atomic_spread: f64,
    pub atomic_queue: Queue,
    /// At barriers of the grid.
    pub arrivals: u64,
}

impl Traffic {
    /// The traffic of the launch that was heard.
    pub fn found(&self) -> Found {
        let sectors = |sets: &mut dyn Iterator<Item = u8>| sets.map(|set| u64::from(set.count_ones())).sum::<u64>();
        let (distinct, lines) = match self.touched.keys().any(|&(_, wave)| wave != 0) {
            false => (sectors(&mut self.touched.values().map(|touched| touched.sectors)), self.touched.len() as u64),
            true => {
                let lines = self.lines();
                (sectors(&mut lines.values().copied()), lines.len() as u64)
            }
        };
        let fits = ((lines * LINE_BYTES) << self.sample) as f64 <= self.l2_bytes;
        let fetched = if fits { distinct } else { self.fetched() };
        let scale = 1u64 << self.sample;
        let counts = self.counts();
        Found {
            l2_sectors: counts.l2,
            partial_sectors: counts.partial,
            footprint_bytes: distinct * SECTOR_BYTES * scale,
            line_bytes: lines * LINE_BYTES * scale,
            written_bytes: self.written_lines().len() as u64 * LINE_BYTES * scale,
            wave_bytes: fetched * SECTOR_BYTES * scale,
            host_bytes: counts.host * SECTOR_BYTES,
            host_written_bytes: counts.host_written * SECTOR_BYTES,
            more_lines: self.more_lines,
            atomic_steps: self.atomics.steps,
            answered_atomics: self.atomics.answered,
            atomic_spread: self.atomics.spread(),
            atomic_queue: self.atomics.queue(self.spans(), self.resident as f64 / self.blocks.max(1) as f64),
            arrivals: self.arrivals,
        }
    }

    /// The sectors of each line that any wave touched.
    fn lines(&self) -> FxHashMap<u64, u8> {
        let mut lines: FxHashMap<u64, u8> = FxHashMap::default();
        self.touched.iter().for_each(|(&(line, _), own)| *lines.entry(line).or_default() |= own.sectors);
        lines
    }

    /// Those of which whole sectors are written.
    fn written_lines(&self) -> FxHashSet<u64> {
        self.touched.iter().filter(|(_, own)| own.written).map(|(&(line, _), _)| line).collect()
    }

    /// Bytes of lines that a wave touches, on average, and how many waves there were.
    fn of_a_wave(&self) -> (f64, f64) {
        let waves: FxHashSet<u32> = self.touched.keys().map(|&(_, wave)| wave).collect();
        let waves = waves.len().max(1) as f64;
        (((self.touched.len() as u64 * LINE_BYTES) << self.sample) as f64 / waves, waves)
    }

    /// Sectors that are fetched from memory where the launch touches more than L2 has: what comes in pushes out what has not been asked for
    /// the longest, in the wave and from one wave to another.
    fn fetched(&self) -> u64 {
        let (of_a_wave, _) = self.of_a_wave();
        // How often each sector is asked for in a wave: the oftener, the sooner as much as L2 has has come in.
        let stretches = |own: &Touched| own.stretches.iter().map(|own| u64::from(own.count_ones())).sum::<u64>();
        let sectors: u64 = self.touched.values().map(|own| u64::from(own.sectors.count_ones())).sum();
        let asked = self.touched.values().map(stretches).sum::<u64>() as f64 / sectors.max(1) as f64;
        let stays = f64::from(self.longest()) * self.l2_bytes / of_a_wave.max(self.l2_bytes) / asked.max(1.0);
        let in_wave = of_a_wave > self.l2_bytes;
        let mut touched: Vec<(u64, u32, Touched)> =
            self.touched.iter().map(|(&(line, wave), &own)| (line, wave, own)).collect();
        touched.sort_unstable_by_key(|&(line, wave, _)| (line, wave));
        let mut before: Option<(u64, u32, u8)> = None;
        let mut fetched = 0;
        for (line, wave, own) in touched {
            let there = before.filter(|before| {
                before.0 == line && f64::from(wave - before.1) * of_a_wave <= KEPT_OF_L2 * self.l2_bytes
            });
            // A line that stays has the sectors of all the waves that came to it.
            let held = there.map_or(0, |(_, _, sectors)| sectors);
            let kept = u64::from((held & own.sectors).count_ones());
            let own_fetches = if in_wave { own.fetched(stays) } else { u64::from(own.sectors.count_ones()) };
            fetched += own_fetches - kept.min(own_fetches);
            before = Some((line, wave, held | own.sectors));
        }
        fetched
    }

    /// The traffic of all waves of a launch of which only some were run, whole ones, and all of them `factor` times as many. Different
    /// waves may touch the same bytes, so that an allocation's part of the footprint grows as its waves do, up to the whole allocation.
    /// `allocations` are first bytes and ends, ascending.
    pub fn found_of_waves(&self, factor: f64, allocations: &[(u64, u64)]) -> Found {
        // The line that an allocation begins in may begin before it.
        let owner =
            |line: u64| allocations.partition_point(|&(start, _)| start < (line + 1) * LINE_BYTES).saturating_sub(1);
        let scaled = |sectors: u8| (u64::from(sectors.count_ones()) * SECTOR_BYTES) << self.sample;
        // By allocation: bytes of the sectors and of the lines that the waves touched, and of lines that they wrote.
        let none = vec![0u64; allocations.len()];
        let (mut bytes, mut lines, mut written) = (none.clone(), none.clone(), none);
        for (line, sectors) in self.lines() {
            let index = owner(line);
            if index < allocations.len() {
                bytes[index] += scaled(sectors);
                lines[index] += LINE_BYTES << self.sample;
            }
        }
        for index in self.written_lines().into_iter().map(owner).filter(|&index| index < allocations.len()) {
            written[index] += LINE_BYTES << self.sample;
        }
        let whole = |(&bytes, &(start, end)): (&u64, &(u64, u64))| (bytes as f64 * factor).min((end - start) as f64);
        let all = |of_waves: &[u64]| of_waves.iter().zip(allocations).map(whole).sum::<f64>().round() as u64;
        let times = |count: u64| (count as f64 * factor).round() as u64;
        let found = self.found();
        let (of_a_wave, waves) = self.of_a_wave();
        // So many waves later a line is gone.
        let gone_after = KEPT_OF_L2 * self.l2_bytes / of_a_wave.max(1.0);
        let mut touched = vec![0u64; allocations.len()];
        // Allocations that are gone through once, from the first wave to the last: what several waves touch, neighbours touch.
        let mut once = vec![true; allocations.len()];
        for (&(line, wave), own) in &self.touched {
            let index = owner(line);
            let Some(&(start, end)) = allocations.get(index) else { continue };
            touched[index] += scaled(own.sectors);
            let place = (line * LINE_BYTES).saturating_sub(start) as f64 / (end - start).max(1) as f64;
            once[index] &= (place * waves * factor - f64::from(wave)).abs() <= gone_after;
        }
        let parts = touched.iter().zip(once).zip(bytes.iter().zip(allocations).map(whole));
        let fetched = parts.map(|((&touched, once), whole)| {
            // Else a wave comes back to a place when all waves between have gone through the allocation.
            let of_its_wave = touched as f64 / waves;
            let kept = once || whole <= gone_after * of_its_wave;
            if kept { whole } else { touched as f64 * factor }
        });
        let fetched: f64 = fetched.sum();
        let footprint = all(&bytes);
        Found {
            l2_sectors: times(found.l2_sectors),
            partial_sectors: times(found.partial_sectors),
            footprint_bytes: footprint,
            line_bytes: all(&lines).max(footprint),
            written_bytes: all(&written),
            wave_bytes: footprint.max(fetched.round() as u64),
            host_bytes: times(found.host_bytes),
            host_written_bytes: times(found.host_written_bytes),
            more_lines: times(found.more_lines),
            atomic_steps: times(found.atomic_steps),
            answered_atomics: times(found.answered_atomics),
            atomic_queue: self.atomics.queue_of_waves(
                self.spans(),
                self.resident as f64 / self.blocks.max(1) as f64,
                factor,
                allocations,
            ),
            ..found
        }
    }

    /// The sectors that go past L1 in the whole launch: those of the blocks that were followed with all their lines, scaled by the accesses of all. A few lines that
    /// all ask for, such as a short vector, may not be among those that are followed in all blocks; these count where the others have little to
    /// do, as in a launch of which one block works.
    fn counts(&self) -> Counts {
        let [in_part, whole] = self.accesses;
        let all = in_part + whole;
        match whole.saturating_mul(MOST_APART) << self.sample_of_blocks >= all {
            true => self.of_blocks.times(all as f64 / whole.max(1) as f64),
            false => self.of_lines.times(f64::from(1u32 << self.sample)),
        }
    }
}
