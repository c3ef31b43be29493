//! The matrices of one problem, on the host and on the device, shared by all benchmarks.

use crate::plan::{Case, Problem, flops};
use crate::variants::Method;
use common::check::{Check, tolerance};
use common::device::Device;
use common::element::Element;
use common::matrix::distinct_seed;
use common::operands::{Layout, Operands};
use common::owned::{Owned, check_owned};
use std::ops::Range;

/// A and x; b; two buffers for partial sums, each as long as any benchmark needs it.
pub type Data<T> = Operands<T>;
/// Places of the inputs.
pub const A: usize = 0;
/// Likewise.
pub const X: usize = 1;

/// Random A and x, copied in; room for b and for the partial sums of all `cases`. Bytes are those of A, x and b, which any kernel has to move
/// at least once.
pub fn new<T: Element>(device: &Device, problem: &Problem, cases: &[Case]) -> anyhow::Result<Data<T>> {
    let [m, n] = problem.extents;
    let seed = |input| distinct_seed(problem.seed, input);
    let layout = Layout {
        inputs: &[([m, n], seed(0)), ([n, 1], seed(1))],
        output: [m, 1],
        scratch: &partial_lengths(device, problem, cases)?,
        flops: Some(flops(problem.extents)),
        bytes: (m as f64 * n as f64 + n as f64 + m as f64) * problem.dtype.bytes() as f64,
    };
    Operands::new(device, problem, &layout)
}

/// b as it should be.
pub fn reference<T: Element>(data: &Data<T>) -> anyhow::Result<&[f64]> {
    let (a, x) = (data.input_view(A)?, data.input(X)?);
    Ok(data.reference.get_or_init(|| a.bands(x.len()).flat_map(|(_, rows)| T::matrix_vector(&rows, x)).collect()))
}

/// Copies b out and compares every element.
pub fn check<T: Element>(device: &Device, data: &mut Data<T>, problem: &Problem) -> anyhow::Result<Check> {
    data.collect(device)?;
    Ok(T::check_elements(data.result()?, reference(data)?, 1, tolerance(problem.extents[1], T::DTYPE)))
}

/// Rows of A that are looked at together.
const ROWS: usize = 64;

/// Copies b out and compares those elements that were written.
pub fn check_written<T: Element>(
    device: &Device,
    data: &mut Data<T>,
    problem: &Problem,
    owned: &Owned,
) -> anyhow::Result<Check> {
    let [m, n] = problem.extents;
    data.collect(device)?;
    let (a, x) = (data.input_view(A)?, data.input(X)?);
    let want = |range: &Range<usize>| {
        let rows = |first: usize| a.part(&(first * n..(first + ROWS).min(range.end) * n));
        range.clone().step_by(ROWS).flat_map(|first| T::matrix_vector(&rows(first), x)).collect()
    };
    Ok(check_owned(data.result_view()?, owned, m, tolerance(n, T::DTYPE), want))
}

/// Elements of each of the two buffers: the most that any case needs, at least one.
fn partial_lengths(device: &Device, problem: &Problem, cases: &[Case]) -> anyhow::Result<[usize; 2]> {
    let [m, n] = problem.extents;
    let mut lengths = [1, 1];
    for case in cases {
        let needed = match case.variant.rung.method {
            Method::Repeated => {
                let first = n.div_ceil(case.block.sx);
                [m * first, m * first.div_ceil(case.block.sx)]
            }
            // At most one partial sum per row and resident block; more than ⌈n/sx⌉ blocks beside each other are never launched.
            Method::Cooperative => [m * n.div_ceil(case.block.sx).min(resident_blocks_at_most(device)?), 1],
            Method::Read { .. } => [case.read_blocks(), 1],
            Method::Atomic { .. } | Method::Warp { .. } | Method::BlockPerRow => [1, 1],
        };
        lengths = [lengths[0].max(needed[0]), lengths[1].max(needed[1])];
    }
    Ok(lengths)
}

/// No device holds more than 32 blocks per multiprocessor at once (CUDA C++ Programming Guide, technical specifications).
fn resident_blocks_at_most(device: &Device) -> anyhow::Result<usize> {
    Ok(32 * device.limits()?.multiprocessors)
}
