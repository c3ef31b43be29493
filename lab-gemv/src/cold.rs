//! A product whose matrix is in no cache: each run has another copy of A, and the copies together are several times as large as the caches.
//!
//! A run after a run finds of a small A what the first one left in the L2 (60 MB on an H200: all of n = 2048, most of n = 4096). A
//! program that multiplies by a matrix once reads it from memory.

use crate::data::Data;
use common::benchmark::{Benchmark, Benchmarks, Outcome};
use common::check::Check;
use common::device::Device;
use common::element::Element;
use common::lab::Turns;
use common::matrix::allocate_device;
use common::result::Row;
use common::timing::Phases;
use cudarc::driver::CudaSlice;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use std::cell::RefCell;
use std::collections::VecDeque;

/// How many times the L2's size all copies have together.
const TIMES_THE_CACHE: usize = 4;

/// Measures all benchmarks once more, cold, and adds to their rows `cold_gbytes_per_s` and, against the ceiling, `cold_memory_percent`.
/// Errors: the driver's, no room for the copies among them; a wrong result makes its row wrong.
pub fn add<T: Element>(
    rows: &mut [Row],
    turns: &Turns<'_>,
    data: &mut Data<T>,
    benchmarks: &[Box<dyn Benchmark<Data<T>> + '_>],
) -> anyhow::Result<()> {
    let copies = RefCell::new(copies(turns.device, data)?);
    let mut cold: Benchmarks<Data<T>> = Vec::new();
    for warm in benchmarks {
        cold.push(Box::new(Cold { warm: warm.as_ref(), copies: &copies }));
    }
    let cold_rows = turns.measure_again(data, &cold)?;
    let ceiling = cold_rows.iter().find(|row| row.variant == "read").and_then(|row| row.gbytes_per_s);
    for (row, cold) in rows.iter_mut().zip(cold_rows) {
        if let Some(rate) = cold.gbytes_per_s {
            row.figures.insert("cold_gbytes_per_s".into(), rate.into());
            if let Some(ceiling) = ceiling {
                row.figures.insert("cold_memory_percent".into(), (rate / ceiling * 100.0).into());
            }
        }
        if row.correct && !cold.correct {
            row.correct = false;
            row.mismatch = cold.mismatch;
        }
    }
    Ok(())
}

/// As many copies of A as fill the caches several times, with A itself; none where A alone does.
fn copies<T: Element>(device: &Device, data: &Data<T>) -> anyhow::Result<VecDeque<CudaSlice<T>>> {
    let cache = usize::try_from(device.context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?)?;
    let bytes = data.a.len() * T::DTYPE.bytes();
    let count = (TIMES_THE_CACHE * cache).div_ceil(bytes.max(1)) - 1;
    let mut copies = VecDeque::new();
    for _ in 0..count.min(MOST_COPIES) {
        let mut copy = allocate_device(&device.stream, data.a.len())?;
        device.stream.memcpy_dtod(&data.a, &mut copy)?;
        copies.push_back(copy);
    }
    Ok(copies)
}

/// Of a tiny A more copies than these would only take time to make: what they hold is in the cache either way.
const MOST_COPIES: usize = 256;

/// A benchmark that takes the next copy of A for each run.
struct Cold<'a, T: Element> {
    warm: &'a dyn Benchmark<Data<T>>,
    copies: &'a RefCell<VecDeque<CudaSlice<T>>>,
}

impl<T: Element> Benchmark<Data<T>> for Cold<'_, T> {
    fn label(&self) -> String {
        format!("{}, cold", self.warm.label())
    }

    fn run(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<Phases> {
        let mut copies = self.copies.borrow_mut();
        if let Some(next) = copies.pop_front() {
            copies.push_back(std::mem::replace(&mut data.a, next));
        }
        self.warm.run(device, data)
    }

    fn check(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<Check> {
        self.warm.check(device, data)
    }

    fn row(&self, outcome: Outcome, data: &Data<T>) -> anyhow::Result<Row> {
        self.warm.row(outcome, data)
    }
}
