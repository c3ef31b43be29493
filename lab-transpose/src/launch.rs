//! A rung's kernel, ready to run, and the comparison of its result.

use crate::options::Place;
use crate::plan::{Case, Problem};
use crate::variants::Threads;
use anyhow::Context;
use common::LabError;
use common::benchmark::{Benchmark, Outcome};
use common::call::{Call, Function};
use common::check::Check;
use common::device::Device;
use common::element::{Dtype, Element};
use common::lazy_memory::Elements;
use common::operands::{Layout, Operands};
use common::owned::{Owned, check_owned};
use common::plan::Case as _;
use common::recorder;
use common::result::Row;
use cudarc::driver::LaunchConfig;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use kernels::Source;
use serde_json::Value;
use std::ops::Range;

/// The matrix and its transpose; the reference is the transpose.
pub type Data<T> = Operands<T, Vec<T>>;

/// A random matrix, copied in. Bytes are what any kernel has to read and write.
pub fn data<T: Element>(device: &Device, problem: &Problem) -> anyhow::Result<Data<T>> {
    let [m, n] = problem.extents;
    let bytes = 2.0 * m as f64 * n as f64 * problem.dtype.bytes() as f64;
    let inputs = &[([m, n], problem.seed)];
    Operands::new(device, problem, &Layout { inputs, output: [n, m], scratch: &[], flops: None, bytes })
}

/// The value that a result is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The input itself.
    Input,
    /// Its transpose.
    Transpose,
}

/// Copies the output out and compares every element, bit by bit.
pub fn check<T: Element>(
    device: &Device,
    data: &mut Data<T>,
    [m, n]: [usize; 2],
    expected: Expected,
) -> anyhow::Result<Check> {
    data.collect(device)?;
    if expected == Expected::Input && is_equal(data.result_view()?, data.input_view(0)?) {
        return Ok(Check { correct: true, max_relative_error: 0.0, mismatch: None });
    }
    let (got, input) = (data.result()?, data.input(0)?);
    Ok(match expected {
        Expected::Input => T::check_exactly(got, input, n),
        Expected::Transpose => T::check_exactly(got, data.reference.get_or_init(|| T::transposed(input, m, n)), m),
    })
}

/// True if all elements have the same bits.
fn is_equal<T: Element>(got: Elements<'_, T>, want: Elements<'_, T>) -> bool {
    // Bands of single elements: as many as take little memory.
    got.bands(1).zip(want.bands(1)).all(|((_, got), (_, want))| T::check_exactly(&got, &want, 1).correct)
}

/// A loaded kernel with the launch that its case asks for.
#[derive(Debug)]
pub struct Kernel {
    case: Case,
    function: Function,
    config: LaunchConfig,
}

impl Kernel {
    /// Compiles, loads and configures. Errors: the compiler's; a grid or a tile beyond the device's limits.
    pub fn new(device: &Device, source: &Source, case: &Case) -> anyhow::Result<Self> {
        let function = device.kernel(source, &case.symbol())?;
        let config = launch_config(device, case, &function).with_context(|| case.label())?;
        Ok(Kernel { case: case.clone(), function, config })
    }

    fn expected(&self) -> Expected {
        match self.case.variant.rung.threads {
            Threads::Chunks => Expected::Input,
            _ => Expected::Transpose,
        }
    }

    #[allow(unsafe_code)]
    fn launch_transpose<T: Element>(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        // `Shape::extents` refuses what does not fit.
        let [m, n] = self.case.problem.extents.map(|extent| extent as i32);
        let mut builder = Call::new(&device.stream, &self.function);
        builder.arg(&mut data.output);
        match self.case.place {
            Place::Out => builder.arg(&data.inputs[0]).arg(&m).arg(&n),
            Place::In => builder.arg(&n),
        };
        // SAFETY: the rungs' signatures are (T *out, const T *in, int m, int n), and in place (T *matrix, int n) with m = n; both
        // slices hold m·n elements.
        unsafe { recorder::launch(&device.stream, &mut builder, self.config) }?;
        Ok(())
    }
}

impl<T: Element> Benchmark<Data<T>> for Kernel {
    fn label(&self) -> String {
        self.case.label()
    }

    fn prepare(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        match self.case.place {
            Place::Out => data.poison_output(device),
            Place::In => data.output_from_input(device, 0),
        }
    }

    fn launch(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        self.launch_transpose(device, data)
    }

    fn check(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<Check> {
        check(device, data, self.case.problem.extents, self.expected())
    }

    fn elements(&self) -> Result<(usize, Dtype), &'static str> {
        Ok((self.case.problem.extents.iter().product(), T::DTYPE))
    }

    fn check_owned(&self, device: &Device, data: &mut Data<T>, owned: &Owned) -> anyhow::Result<Check> {
        let [m, n] = self.case.problem.extents;
        data.collect(device)?;
        let input = data.input_view(0)?;
        let (columns, place): (usize, &(dyn Fn(usize) -> usize + Sync)) = match self.expected() {
            Expected::Input => (n, &|index| index),
            Expected::Transpose => (m, &|index| index % m * n + index / m),
        };
        let want = |range: &Range<usize>| range.clone().map(|index| input.at(place(index)).to_f64()).collect();
        Ok(check_owned(data.result_view()?, owned, columns, 0.0, want))
    }

    fn row(&self, outcome: Outcome, data: &Data<T>) -> anyhow::Result<Row> {
        let Case { variant, problem, place, .. } = &self.case;
        let mut row = outcome.into_row(variant.name, self.case.block_text(), &data.workload);
        let shared = i64::from(self.function.shared_size_bytes()?) + i64::from(self.config.shared_mem_bytes);
        let figures: [(&str, Value); 3] = [
            ("shape", problem.extents.to_vec().into()),
            ("place", place.name().into()),
            ("shared_bytes", shared.into()),
        ];
        row.figures.extend(figures.map(|(key, value)| (key.to_owned(), value)));
        if let Some(conflicts) = conflicts_per_access(&row) {
            row.figures.insert("conflicts_per_access".to_owned(), conflicts.into());
        }
        Ok(row)
    }
}

/// Passes beyond the fewest possible, per access of a warp to shared memory; `None` without counters or without accesses.
fn conflicts_per_access(row: &Row) -> Option<f64> {
    let accesses = row.number("shared_load_accesses")? + row.number("shared_store_accesses")?;
    (accesses > 0.0).then_some(row.number("shared_conflicts")? / accesses)
}

fn launch_config(device: &Device, case: &Case, function: &Function) -> anyhow::Result<LaunchConfig> {
    let Case { variant, problem: Problem { extents, dtype, .. }, edge, place } = case;
    let threads = variant.rung.threads;
    let [x, y, z] = threads.grid(*extents, *edge, *dtype);
    let attribute = |which| -> anyhow::Result<usize> { Ok(device.context.attribute(which)?.try_into()?) };
    let most = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?;
    for (axis, blocks) in [("y", y), ("z", z)] {
        if blocks > most {
            let [m, n] = extents;
            return Err(LabError::limit(
                format!(
                    "{m}×{n} takes {blocks} blocks along {axis} of the grid; a grid on this device has {most} at most"
                ),
                "choose a larger --edge, or a smaller --size",
            )
            .into());
        }
    }
    let dynamic = threads.dynamic_shared_bytes(*edge, *dtype, *place);
    let needed = dynamic + usize::try_from(function.shared_size_bytes()?)?;
    let most = device.limits()?.shared_bytes_per_block;
    if needed > most {
        return Err(LabError::limit(
            format!("the kernel takes {needed} bytes of shared memory; a block on this device may have {most}"),
            "choose a smaller --edge, or f32",
        )
        .into());
    }
    let [block_x, block_y] = threads.block(*edge);
    Ok(LaunchConfig {
        grid_dim: (u32::try_from(x)?, u32::try_from(y)?, u32::try_from(z)?),
        block_dim: (block_x as u32, block_y as u32, 1),
        shared_mem_bytes: u32::try_from(dynamic)?,
    })
}
