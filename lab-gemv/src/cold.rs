//! The product with A in no cache: see [`common::cold`].

use crate::data::Data;
use common::benchmark::{Benchmark, add_shares_of_ceiling};
use common::cold::extra_copies;
use common::element::Element;
use common::lab::Turns;
use common::matrix::allocate_device;
use common::result::Row;
use std::cell::RefCell;
use std::collections::VecDeque;

/// Measures all benchmarks once more, each launch with the next of several copies of A.
pub fn add<T: Element>(
    rows: &mut [Row],
    turns: &Turns<'_>,
    data: &mut Data<T>,
    benchmarks: &[Box<dyn Benchmark<Data<T>> + '_>],
) -> anyhow::Result<()> {
    let stream = &turns.device.stream;
    let mut copies = VecDeque::new();
    for _ in 0..extra_copies(turns.device, data.a.len() * T::DTYPE.bytes())? {
        let mut copy = allocate_device(stream, data.a.len())?;
        stream.memcpy_dtod(&data.a, &mut copy)?;
        copies.push_back(copy);
    }
    let copies = RefCell::new(copies);
    let turn = |data: &mut Data<T>| {
        let mut copies = copies.borrow_mut();
        if let Some(next) = copies.pop_front() {
            copies.push_back(std::mem::replace(&mut data.a, next));
        }
    };
    let shares = |rows: &mut [Row], key: &str| add_shares_of_ceiling(rows, "read", key);
    common::cold::add(rows, turns, data, benchmarks, &turn, ("cold_memory_percent", shares))
}
