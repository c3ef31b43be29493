//! The transpose with both matrices in no cache: see [`common::cold`].

use crate::data::Data;
use common::benchmark::{Benchmark, add_shares};
use common::cold::extra_copies;
use common::element::Element;
use common::lab::Turns;
use common::matrix::allocate_device;
use common::result::Row;
use std::cell::RefCell;
use std::collections::VecDeque;

/// Measures all benchmarks once more, each launch with the next of several pairs of matrices; shares are of the driver's own copy.
pub fn add<T: Element>(
    rows: &mut [Row],
    turns: &Turns<'_>,
    data: &mut Data<T>,
    benchmarks: &[Box<dyn Benchmark<Data<T>> + '_>],
) -> anyhow::Result<()> {
    let stream = &turns.device.stream;
    let mut pairs = VecDeque::new();
    for _ in 0..extra_copies(turns.device, 2 * data.input.len() * T::DTYPE.bytes())? {
        let mut input = allocate_device(stream, data.input.len())?;
        stream.memcpy_dtod(&data.input, &mut input)?;
        pairs.push_back((input, allocate_device(stream, data.output.len())?));
    }
    let pairs = RefCell::new(pairs);
    let turn = |data: &mut Data<T>| {
        let mut pairs = pairs.borrow_mut();
        if let Some((input, output)) = pairs.pop_front() {
            pairs.push_back((std::mem::replace(&mut data.input, input), std::mem::replace(&mut data.output, output)));
        }
    };
    common::cold::add(
        rows,
        turns,
        data,
        benchmarks,
        &turn,
        ("cold_driver_copy_percent", |rows, key| add_shares(rows, "memcpy", key)),
    )
}
