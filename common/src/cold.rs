//! Runs whose data is in no cache: each has another copy of it, and the copies together are several times as large as the caches.
//!
//! A run after a run finds in the L2 (60 MB on an H200) what the first one left there of small matrices. A program that uses a matrix
//! once reads it from memory.

use crate::benchmark::{Benchmark, Benchmarks, Outcome};
use crate::check::Check;
use crate::device::Device;
use crate::lab::Turns;
use crate::result::Row;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use std::cell::Cell;

/// How many times the L2's size all copies have together.
const TIMES_THE_CACHE: usize = 4;
/// Of a tiny matrix more copies than these would only take time to make: what they hold is in the cache either way.
const MOST_COPIES: usize = 256;

/// How many copies beside the first one data of so many bytes needs; none where it does not fit the caches anyway.
pub fn extra_copies(device: &Device, bytes: usize) -> anyhow::Result<usize> {
    let cache = usize::try_from(device.context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?)?;
    Ok(((TIMES_THE_CACHE * cache).div_ceil(bytes.max(1)).max(1) - 1).min(MOST_COPIES))
}

/// Measures all benchmarks once more, cold, and adds to their rows `cold_gbytes_per_s` and `share`, which `add_shares` adds to the cold
/// ones under that key. `turn` puts the next copy in the place of the last. Errors: the driver's; a wrong result makes its row wrong.
pub fn add<D>(
    rows: &mut [Row],
    turns: &Turns<'_>,
    data: &mut D,
    benchmarks: &[Box<dyn Benchmark<D> + '_>],
    turn: &dyn Fn(&mut D),
    (share, add_shares): (&str, fn(&mut [Row], &str)),
) -> anyhow::Result<()> {
    let mut cold: Benchmarks<D> = Vec::new();
    for warm in benchmarks {
        cold.push(Box::new(Cold { warm: warm.as_ref(), turn, prepared: Cell::new(false) }));
    }
    let mut cold_rows = turns.measure_again(data, &cold)?;
    add_shares(&mut cold_rows, share);
    for (row, mut cold) in rows.iter_mut().zip(cold_rows) {
        if let Some(rate) = cold.gbytes_per_s {
            row.figures.insert("cold_gbytes_per_s".into(), rate.into());
        }
        row.figures.extend(cold.figures.remove_entry(share));
        row.samples_ms.extend(cold.samples_ms.into_iter().map(|(_, samples)| ("cold", samples)));
        if row.correct && !cold.correct {
            row.correct = false;
            row.mismatch = cold.mismatch;
        }
    }
    Ok(())
}

/// A benchmark that takes the next copy for each launch.
struct Cold<'a, D> {
    warm: &'a dyn Benchmark<D>,
    turn: &'a dyn Fn(&mut D),
    /// Whether the copy in place is one that no launch has used since it was prepared.
    prepared: Cell<bool>,
}

impl<D> Benchmark<D> for Cold<'_, D> {
    fn label(&self) -> String {
        format!("{}, cold", self.warm.label())
    }

    fn prepare(&self, device: &Device, data: &mut D) -> anyhow::Result<()> {
        (self.turn)(data);
        self.prepared.set(true);
        self.warm.prepare(device, data)
    }

    fn launch(&self, device: &Device, data: &mut D) -> anyhow::Result<()> {
        if !self.prepared.replace(false) {
            (self.turn)(data);
        }
        self.warm.launch(device, data)
    }

    fn collect(&self, device: &Device, data: &mut D) -> anyhow::Result<()> {
        self.warm.collect(device, data)
    }

    fn check(&self, device: &Device, data: &mut D) -> anyhow::Result<Check> {
        self.warm.check(device, data)
    }

    fn row(&self, outcome: Outcome, data: &D) -> anyhow::Result<Row> {
        self.warm.row(outcome, data)
    }
}
