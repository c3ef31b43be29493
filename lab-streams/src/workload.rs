//! The work of one batch: independent matrix products, or the pieces of one element-wise pass.

use crate::schedule::Part;
use anyhow::Context;
use common::call::{Call, Function};
use common::check::{Check, tolerance};
use common::element::{Dtype, Element};
use common::lazy_memory::Elements;
use common::matrix::distinct_seed;
use common::owned::{Factors, Owned, check_owned, check_owned_product};
use common::reference::Product;
use common::shape::Shape;
use cudarc::driver::sys::{CUdevice_attribute as Attribute, CUdeviceptr};
use cudarc::driver::{CudaStream, LaunchConfig};
use kernels::{KernelError, Source};
use std::ops::Range;
use std::sync::Arc;

/// Edge of the square thread block of the products, as the lecture has it.
const EDGE: usize = 16;
/// Threads of a block of the element-wise pass.
const THREADS: usize = 256;
/// Blocks per multiprocessor of the element-wise pass: more than are resident, so that the first ones' end is the others' start.
const BLOCKS_PER_MULTIPROCESSOR: usize = 16;
/// The pass computes `FACTOR · x + 1`.
const FACTOR: f64 = 0.75;

/// The kind of work, as `--workload` spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// Independent products C = A·B of square matrices.
    Gemm,
    /// One pass over an array, cut into chunks: each element read once, written once.
    Chunks,
}

/// The kernel of the products, as `--kernel` spells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum GemmKernel {
    /// One thread per element, all from global memory: A and B are read n times each.
    Naive,
    /// Tiles of 16×16 in shared memory: A and B are read n/16 times each.
    #[default]
    Shared,
}

/// A batch.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The kind of each item.
    pub kind: Kind,
    /// As the command line has it: n of a product, elements of a chunk.
    pub size: Shape,
    /// The same as a number.
    pub extent: usize,
    /// Number of items.
    pub count: usize,
    /// Element type.
    pub dtype: Dtype,
    /// The kernel of products.
    pub kernel: GemmKernel,
    /// Seed of all inputs.
    pub seed: u64,
}

impl Workload {
    /// Elements of one item's input: A, then B; or the chunk.
    pub fn input_len(&self) -> usize {
        match self.kind {
            Kind::Gemm => 2 * self.extent * self.extent,
            Kind::Chunks => self.extent,
        }
    }

    /// Elements of one item's output.
    pub fn output_len(&self) -> usize {
        match self.kind {
            Kind::Gemm => self.extent * self.extent,
            Kind::Chunks => self.extent,
        }
    }

    /// Which elements of an item's input come in with a part: of a product with the first part all of B, then the part's rows of A. Either
    /// range may be empty.
    pub fn input_ranges(&self, part: Part) -> [Range<usize>; 2] {
        match self.kind {
            Kind::Chunks => [0..0, part.range(self.extent)],
            Kind::Gemm if part == Part::WHOLE => [0..0, 0..self.input_len()],
            Kind::Gemm if part.start == 0 => [self.output_len()..self.input_len(), self.rows(part)],
            Kind::Gemm => [0..0, self.rows(part)],
        }
    }

    /// Which elements of an item's output a part has.
    pub fn output_range(&self, part: Part) -> Range<usize> {
        match self.kind {
            Kind::Chunks => part.range(self.extent),
            Kind::Gemm => self.rows(part),
        }
    }

    /// The elements of the part's rows in an n×n matrix.
    fn rows(&self, part: Part) -> Range<usize> {
        let rows = part.range(self.extent);
        rows.start * self.extent..rows.end * self.extent
    }

    /// Bytes of all inputs.
    pub fn bytes_in(&self) -> f64 {
        (self.count * self.input_len() * self.dtype.bytes()) as f64
    }

    /// Bytes of all outputs.
    pub fn bytes_out(&self) -> f64 {
        (self.count * self.output_len() * self.dtype.bytes()) as f64
    }

    /// Floating-point operations of the batch: a multiply and an addition per term.
    pub fn flops(&self) -> f64 {
        let n = self.extent as f64;
        let item = match self.kind {
            Kind::Gemm => 2.0 * n * n * n,
            Kind::Chunks => 2.0 * n,
        };
        item * self.count as f64
    }

    /// Name on the command line.
    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Gemm => "gemm",
            Kind::Chunks => "chunks",
        }
    }

    /// Threads of a block as reports have them.
    pub fn block_text(&self) -> String {
        match self.kind {
            Kind::Gemm => format!("{EDGE}x{EDGE}"),
            Kind::Chunks => THREADS.to_string(),
        }
    }

    /// The file of the kernel.
    pub fn source(&self) -> Result<Source, KernelError> {
        match (self.kind, self.kernel) {
            (Kind::Gemm, GemmKernel::Naive) => kernels::source("gemm", "naive"),
            (Kind::Gemm, GemmKernel::Shared) => kernels::source("gemm", "shared"),
            (Kind::Chunks, _) => kernels::source("streams", "one_touch"),
        }
    }

    /// The kernel's symbol in that file.
    pub fn symbol(&self) -> String {
        let dtype = self.dtype;
        match (self.kind, self.kernel) {
            (Kind::Gemm, GemmKernel::Naive) => format!("naive_{dtype}"),
            (Kind::Gemm, GemmKernel::Shared) => format!("shared_{dtype}_{EDGE}"),
            (Kind::Chunks, _) => format!("one_touch_{dtype}"),
        }
    }

    /// Fills the input of an item: the same for the same item and seed, distinct for others.
    pub fn fill_input<T: Element>(&self, item: usize, input: &mut [T]) {
        T::fill_random(input, distinct_seed(self.seed, item as u64));
    }

    /// Puts the kernel of one item, or of a part of it that is not empty, on a stream; `input` and `output` are device addresses of as
    /// many elements as an item has.
    #[allow(unsafe_code)]
    pub fn launch<T: Element>(
        &self,
        function: &Function,
        stream: &Arc<CudaStream>,
        input: CUdeviceptr,
        output: CUdeviceptr,
        part: Part,
    ) -> anyhow::Result<()> {
        let own = self.output_range(part);
        if own.is_empty() {
            return Ok(());
        }
        let offset = (own.start * T::DTYPE.bytes()) as u64;
        let (own_input, own_output) = (input + offset, output + offset);
        let mut builder = Call::new(stream, function);
        match self.kind {
            Kind::Gemm => {
                let rows = part.range(self.extent).len();
                let blocks = |extent: usize| u32::try_from(extent.div_ceil(EDGE)).context("a grid of the product");
                let edge = EDGE as u32;
                let grid_dim = (blocks(self.extent)?, blocks(rows)?, 1);
                let config = LaunchConfig { grid_dim, block_dim: (edge, edge, 1), shared_mem_bytes: 0 };
                let n = i32::try_from(self.extent).context("an extent of the product")?;
                let m = i32::try_from(rows).context("an extent of the product")?;
                let b = input + (self.extent * self.extent * T::DTYPE.bytes()) as u64;
                builder.arg(&own_output).arg(&own_input).arg(&b).arg(&m).arg(&n).arg(&n);
                // SAFETY: the signature is (T *c, const T *a, const T *b, int m, int n, int k), m·n, m·n and n² elements; the caller
                // keeps the memory alive until the stream is synchronised.
                unsafe { builder.launch(config) }?;
            }
            Kind::Chunks => {
                let multiprocessors =
                    stream.context().attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
                let per_block = THREADS * 16 / T::DTYPE.bytes();
                let most = usize::try_from(multiprocessors)? * BLOCKS_PER_MULTIPROCESSOR;
                let blocks = own.len().div_ceil(per_block).min(most) as u32;
                let config =
                    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS as u32, 1, 1), shared_mem_bytes: 0 };
                let (factor, count) = (T::from_f64(FACTOR), own.len() as i64);
                builder.arg(&own_output).arg(&own_input).arg(&factor).arg(&count);
                // SAFETY: the signature is (T *out, const T *in, T factor, long long count), count elements each; as above.
                unsafe { builder.launch(config) }?;
            }
        }
        Ok(())
    }

    /// Compares the output of one item with what it should be, or those of its elements that are `owned`. The input is drawn anew: the host is
    /// slow to read memory that is write-combined.
    pub fn check<T: Element>(&self, item: usize, output: &[T], owned: Option<&Owned>) -> Check {
        let mut input = vec![T::POISON; self.input_len()];
        self.fill_input(item, &mut input);
        let n = self.extent;
        let tolerance = tolerance(2, self.dtype);
        match (self.kind, owned) {
            (Kind::Gemm, Some(owned)) => {
                let (a, b) = input.split_at(n * n);
                let factors = Factors { extents: [n; 3], a: Elements::All(a), b: Elements::All(b) };
                check_owned_product(&factors, Elements::All(output), owned)
            }
            (Kind::Gemm, None) => {
                let (a, b) = input.split_at(n * n);
                T::check_product(&Product { m: n, k: n, n, a, b }, output, distinct_seed(!self.seed, item as u64))
            }
            // A product and a sum: two terms.
            (Kind::Chunks, Some(owned)) => {
                let want = |range: &Range<usize>| T::line(&input[range.clone()], FACTOR, 1.0);
                check_owned(Elements::All(output), owned, n, tolerance, want)
            }
            (Kind::Chunks, None) => T::check_elements(output, &T::line(&input, FACTOR, 1.0), 1, tolerance),
        }
    }
}

/// One verdict on a batch: right where all items are, the first mismatch, the largest error.
pub fn join_checks(checks: impl IntoIterator<Item = Check>) -> Option<Check> {
    checks.into_iter().reduce(|all, next| Check {
        correct: all.correct && next.correct,
        // `f64::max` drops a NaN, which has to stay.
        max_relative_error: if all.max_relative_error.is_nan() || next.max_relative_error.is_nan() {
            f64::NAN
        } else {
            all.max_relative_error.max(next.max_relative_error)
        },
        mismatch: all.mismatch.or(next.mismatch),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::element::Number;

    fn workload(kind: Kind) -> Workload {
        Workload {
            kind,
            size: Shape::square(6),
            extent: 6,
            count: 3,
            dtype: Dtype::F64,
            kernel: GemmKernel::Naive,
            seed: 4,
        }
    }

    #[test]
    fn bytes_and_operations_by_hand() {
        let products = workload(Kind::Gemm);
        assert_eq!((products.bytes_in(), products.bytes_out()), (3.0 * 2.0 * 36.0 * 8.0, 3.0 * 36.0 * 8.0));
        assert_eq!(products.flops(), 3.0 * 2.0 * 216.0);
        let chunks = workload(Kind::Chunks);
        assert_eq!((chunks.bytes_in(), chunks.bytes_out()), (3.0 * 6.0 * 8.0, 3.0 * 6.0 * 8.0));
    }

    #[test]
    fn the_right_output_passes_and_another_items_does_not() {
        let chunks = workload(Kind::Chunks);
        let output = |item| {
            let mut input = vec![0f64; 6];
            chunks.fill_input(item, &mut input);
            input.iter().map(|x| FACTOR * x + 1.0).collect::<Vec<f64>>()
        };
        assert!(chunks.check(1, &output(1), None).correct);
        assert!(!chunks.check(1, &output(2), None).correct);
        assert!(!chunks.check::<f64>(1, &[f64::POISON; 6], None).correct);
    }

    #[test]
    fn one_wrong_item_makes_the_batch_wrong_and_nan_stays() {
        let chunks = workload(Kind::Chunks);
        let good = || {
            let mut input = vec![0f64; 6];
            chunks.fill_input(0, &mut input);
            chunks.check(0, &input.iter().map(|x| FACTOR * x + 1.0).collect::<Vec<f64>>(), None)
        };
        let all = join_checks([good(), chunks.check::<f64>(0, &[f64::POISON; 6], None), good()]).unwrap();
        assert!(!all.correct && all.max_relative_error.is_nan() && all.mismatch.is_some());
        assert!(join_checks([good(), good()]).unwrap().correct);
        assert!(join_checks([]).is_none());
    }
}
