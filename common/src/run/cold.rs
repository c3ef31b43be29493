//! Runs whose data is in no cache: each has another copy of it, and the copies together are several times as large as the caches.
//!
//! A run after a run finds in the L2 (60 MB on an H200) what the first one left there of small matrices. A program that uses a matrix
//! once reads it from memory.

use crate::benchmark::{Benchmark, Benchmarks, Outcome};
use crate::check::Check;
use crate::device::Device;
use crate::element::Element;
use crate::matrix::allocate_device;
use crate::result::Row;
use crate::turns::Turns;
use cudarc::driver::CudaSlice;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// How many times the L2's size all copies have together.
const TIMES_THE_CACHE: usize = 4;
/// Copies at most: more of a tiny matrix would only take time to make, since what they hold is in the cache either way.
const MOST_COPIES: usize = 256;

/// How many copies beside the first one data of so many bytes needs; none where it does not fit the caches anyway.
fn extra_copies(device: &Device, bytes: usize) -> anyhow::Result<usize> {
    let cache = usize::try_from(device.context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?)?;
    Ok(((TIMES_THE_CACHE * cache).div_ceil(bytes.max(1)).max(1) - 1).min(MOST_COPIES))
}

/// The operands that a launch has to find in no cache.
pub type Slices<D, T> = fn(&mut D) -> Vec<&mut CudaSlice<T>>;

/// Measures all benchmarks once more, each launch with the next of several copies of what `slices` names, and adds to their rows
/// `cold_gbytes_per_s` and `share`, which `add_shares` adds to the cold ones under that key. Errors: the driver's; a wrong result makes its
/// row wrong.
pub fn add<T: Element, D>(
    rows: &mut [Row],
    turns: &Turns<'_>,
    data: &mut D,
    benchmarks: &[Box<dyn Benchmark<D> + '_>],
    slices: Slices<D, T>,
    (share, add_shares): (&str, fn(&mut [Row], &str)),
) -> anyhow::Result<()> {
    let stream = &turns.device.stream;
    let mut copies: VecDeque<Vec<CudaSlice<T>>> = VecDeque::new();
    let bytes = slices(data).iter().map(|slice| slice.len() * T::DTYPE.bytes()).sum();
    for _ in 0..extra_copies(turns.device, bytes)? {
        let mut copy = Vec::new();
        for slice in slices(data) {
            copy.push(allocate_device(stream, slice.len())?);
            stream.memcpy_dtod(slice, copy.last_mut().expect("just pushed"))?;
        }
        copies.push_back(copy);
    }
    let copies = RefCell::new(copies);
    let turn = &|data: &mut D| {
        let mut copies = copies.borrow_mut();
        if let Some(mut next) = copies.pop_front() {
            slices(data).into_iter().zip(&mut next).for_each(|(slice, next)| std::mem::swap(slice, next));
            copies.push_back(next);
        }
    };
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
    /// True if the copy in place is one that no launch has used since it was prepared.
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
