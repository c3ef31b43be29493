//! A rung's kernel, ready to run: what the host does around each launch.

use crate::data::{A, Data, X, check, check_written};
use crate::plan::{Case, Parts, Problem};
use crate::strategies::{Buffer, Room, Turn};
use crate::variants::{Block, Method};
use anyhow::{Context, bail};
use common::LabError;
use common::benchmark::{Benchmark, Outcome};
use common::call::{Call, Function};
use common::check::{Check, tolerance};
use common::device::Device;
use common::element::{Dtype, Element};
use common::lazy_memory::Elements;
use common::matrix::poison;
use common::owned::{Owned, check_owned, in_rows};
use common::plan::Case as _;
use common::recorder;
use common::result::Row;
use cudarc::driver::LaunchConfig;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use kernels::Source;
use serde_json::Value;
use std::collections::HashMap;
use std::ops::Range;

/// A loaded kernel with the launch that its case asks for.
#[derive(Debug)]
pub struct Kernel {
    case: Case,
    function: Function,
    config: LaunchConfig,
}

impl Kernel {
    /// Compiles, loads and configures. Errors: the compiler's; a grid beyond the device's limits; no room for one cooperative block.
    pub fn new(device: &Device, source: &Source, case: &Case) -> anyhow::Result<Self> {
        let function = device.kernel(source, &case.symbol())?;
        function.set_function_cache_config(case.cache.function_cache()).context("setting the cache preference")?;
        let config = launch_config(device, case, &function).with_context(|| case.label())?;
        Ok(Kernel { case: case.clone(), function, config })
    }

    /// Blocks of the first launch.
    fn blocks(&self) -> u64 {
        let (x, y, z) = self.config.grid_dim;
        u64::from(x) * u64::from(y) * u64::from(z)
    }
}

impl<T: Element> Benchmark<Data<T>> for Kernel {
    fn label(&self) -> String {
        self.case.label()
    }

    fn prepare(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        self.clear(device, data)
    }

    fn launch(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        match self.case.variant.rung.method {
            Method::Read { .. } => self.launch_read(device, data),
            Method::Repeated => self.launch_repeated(device, data),
            _ => self.launch_product(device, data),
        }
    }

    fn check(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<Check> {
        match self.case.variant.rung.method {
            Method::Read { .. } => {
                let (sums, want, tolerance) = self.sums(device, data)?;
                let want: Vec<f64> = (0..sums.len()).map(want).collect();
                Ok(T::check_elements(&sums, &want, 1, tolerance))
            }
            Method::Repeated if self.case.parts == Parts::Some => {
                self.check_sums(device, data, std::slice::from_ref(&(0..self.partial_sums())))
            }
            _ => check(device, data, &self.case.problem),
        }
    }

    fn elements(&self) -> Result<(usize, Dtype), &'static str> {
        match self.case.variant.rung.method {
            Method::Read { .. } => Ok((self.case.read_blocks(), T::DTYPE)),
            Method::Repeated | Method::Atomic { .. } if self.case.parts == Parts::All => {
                Err("all of its result is checked where A is small")
            }
            Method::Repeated if self.case.parts == Parts::Some => Ok((self.partial_sums(), T::DTYPE)),
            Method::Repeated => Err("each of its launches reads all of what the one before writes"),
            _ => Ok((self.case.problem.extents[0], T::DTYPE)),
        }
    }

    fn check_owned(&self, device: &Device, data: &mut Data<T>, owned: &Owned) -> anyhow::Result<Check> {
        match self.case.variant.rung.method {
            Method::Read { .. } => {
                let (sums, want, tolerance) = self.sums(device, data)?;
                Ok(check_owned(Elements::All(&sums), owned, sums.len(), tolerance, |range| {
                    range.clone().map(&want).collect()
                }))
            }
            Method::Repeated if self.case.parts == Parts::Some => self.check_sums(device, data, &owned.ranges),
            Method::Atomic { .. } if !owned.ran.is_empty() => self.check_parts_of_sums(device, data, owned),
            _ => check_written(device, data, &self.case.problem, owned),
        }
    }

    fn row(&self, outcome: Outcome, data: &Data<T>) -> anyhow::Result<Row> {
        let Case { variant, problem, block, cache, portion, .. } = &self.case;
        let mut work = data.workload.clone();
        if variant.rung.method.is_ceiling() {
            // It reads A and adds it up: no product, no x.
            work.flops = None;
            work.bytes = (data.inputs[A].len() * problem.dtype.bytes()) as f64;
        }
        let mut row = outcome.into_row(variant.name, self.case.block_text(), &work);
        let (rows_per_warp, chunks_per_thread) = match variant.rung.method {
            Method::Read { .. } => (1, Some(*portion)),
            _ => (*portion, None),
        };
        // How many kernels one product launches.
        let launches = if variant.rung.method == Method::Repeated { self.turns().len() } else { 1 };
        let figures: [(&str, Value); 9] = [
            ("shape", problem.extents.to_vec().into()),
            ("sx", block.sx.into()),
            ("sy", block.sy.into()),
            ("cache", cache.name().into()),
            ("rows_per_warp", rows_per_warp.into()),
            ("launches", launches.into()),
            ("blocks", self.blocks().into()),
            ("dynamic_shared_bytes", self.config.shared_mem_bytes.into()),
            ("resident_blocks_per_multiprocessor", resident_blocks(&self.case, &self.function)?.into()),
        ];
        row.figures.extend(figures.map(|(key, value)| (key.to_owned(), value)));
        row.figures.extend(chunks_per_thread.map(|chunks| ("chunks_per_thread".to_owned(), chunks.into())));
        Ok(row)
    }
}

impl Kernel {
    /// Uncounted: no earlier result can pass for this one's.
    fn clear<T: Element>(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        let stream = &device.stream;
        let method = self.case.variant.rung.method;
        // Only where they are used, and what is used: clearing more would push A out of the caches, and leave the memory busy with
        // writing it back while the clock runs.
        match method {
            Method::Read { .. } => {
                let blocks = usize::try_from(self.blocks())?;
                return Ok(poison(stream, &mut data.scratch[0].slice_mut(..blocks))?);
            }
            // Nobody reads what is left of others there, and a quarter of a large A is much to write.
            Method::Repeated if self.case.parts == Parts::Some => {}
            Method::Repeated | Method::Cooperative => {
                for partial in &mut data.scratch {
                    poison(stream, partial)?;
                }
            }
            Method::Atomic { .. } | Method::Warp { .. } | Method::BlockPerRow => {}
        }
        match method {
            // Atomic additions need a sum to start from. A row that is never added to stays 0, which no reference equals but by chance.
            Method::Atomic { .. } => stream.memset_zeros(&mut data.output)?,
            _ => poison(stream, &mut data.output)?,
        }
        Ok(())
    }

    #[allow(unsafe_code)]
    fn launch_product<T: Element>(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        let [m, n] = extents(&self.case.problem);
        let mut builder = Call::new(&device.stream, &self.function);
        builder.arg(&mut data.output);
        let cooperative = self.case.variant.rung.method == Method::Cooperative;
        if cooperative {
            builder.arg(&mut data.scratch[0]);
        }
        builder.arg(&data.inputs[A]).arg(&data.inputs[X]).arg(&m).arg(&n);
        let launch = if cooperative { recorder::launch_cooperative } else { recorder::launch };
        // SAFETY: the rungs' signature is (T *b, const T *a, const T *x, int m, int n); the slices hold m, m·n and n elements. The cooperative one has
        // T *partial after b, which holds m times the grid's width, and its whole grid is resident, as the occupancy API says.
        unsafe { launch(&device.stream, &mut builder, self.config) }?;
        Ok(())
    }

    /// The launches of the repeated reduction.
    fn turns(&self) -> Vec<Turn> {
        (self.case.strategies.turns)(self.case.problem.extents[1], self.case.block.sx)
    }

    /// Launch after launch shortens the rows; what one wrote is the next one's input, the last one writes b.
    #[allow(unsafe_code)]
    fn launch_repeated<T: Element>(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        let [m, _] = extents(&self.case.problem);
        let turns = self.turns();
        if turns.is_empty() {
            return Err(no_plan("turns() lists no launch", "repeated.rs"));
        }
        let Data { inputs, output: b, scratch, .. } = data;
        let ([a, x], [even, odd]) = (&inputs[..], &mut scratch[..]) else { bail!("A and x, and two buffers") };
        for (number, turn) in turns.into_iter().enumerate() {
            let (input, output) = match (turn.input, turn.output) {
                // The first one's sums stay for the check.
                (_, Buffer::B) if number > 0 && self.case.parts == Parts::Some => (a, &mut *b),
                _ if number > 0 && self.case.parts == Parts::Some => (a, &mut *odd),
                (Buffer::A, Buffer::Even) => (a, &mut *even),
                (Buffer::A, Buffer::B) => (a, &mut *b),
                (Buffer::Even, Buffer::Odd) => (&*even, &mut *odd),
                (Buffer::Even, Buffer::B) => (&*even, &mut *b),
                (Buffer::Odd, Buffer::Even) => (&*odd, &mut *even),
                (Buffer::Odd, Buffer::B) => (&*odd, &mut *b),
                (input, output) => {
                    return Err(no_plan(&format!("a turn reads {input:?} and writes {output:?}"), "repeated.rs"));
                }
            };
            let [rows, columns, blocks] = [m as usize, turn.columns, turn.blocks];
            let beyond = rows * columns > input.len() || rows * blocks > output.len();
            if beyond || blocks == 0 || (turn.multiply && columns > x.len()) {
                let what = format!("a turn reads {columns} columns with {blocks} blocks: its buffers are shorter");
                return Err(no_plan(&what, "repeated.rs"));
            }
            let config = LaunchConfig { grid_dim: (u32::try_from(blocks)?, self.config.grid_dim.1, 1), ..self.config };
            let n = i32::try_from(columns)?;
            let multiply = i32::from(turn.multiply);
            let mut builder = Call::new(&device.stream, &self.function);
            builder.arg(output).arg(input).arg(x).arg(&m).arg(&n).arg(&multiply);
            // SAFETY: the signature is (T *out, const T *in, const T *x, int m, int n, int multiply); in holds m·n elements, out
            // m·⌈n/sx⌉, as was just checked, and x is read in turns that multiply, where it holds the n of the first.
            unsafe { recorder::launch(&device.stream, &mut builder, config) }?;
        }
        Ok(())
    }

    #[allow(unsafe_code)]
    fn launch_read<T: Element>(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        let count = data.inputs[A].len() as i64;
        let mut builder = Call::new(&device.stream, &self.function);
        builder.arg(&mut data.scratch[0]).arg(&data.inputs[A]).arg(&count);
        // SAFETY: the signature is (T *sums, const T *a, long long count); a holds count elements, sums one per block and more.
        unsafe { recorder::launch(&device.stream, &mut builder, self.config) }?;
        Ok(())
    }

    /// Partial sums that the first launch of the repeated reduction writes.
    fn partial_sums(&self) -> usize {
        let [m, n] = self.case.problem.extents;
        m * n.div_ceil(self.case.block.sx)
    }

    /// Compares partial sums of the first launch with those of the columns of their blocks.
    fn check_sums<T: Element>(&self, device: &Device, data: &Data<T>, of: &[Range<usize>]) -> anyhow::Result<Check> {
        let ([_, n], sx) = (self.case.problem.extents, self.case.block.sx);
        let (a, x, blocks) = (data.input_view(A)?, data.input(X)?, n.div_ceil(sx));
        let parts: Vec<Range<usize>> = in_rows(of, blocks).collect();
        let copy =
            |part: &Range<usize>| Ok((part.start, device.stream.clone_dtoh(&data.scratch[0].slice(part.clone()))?));
        let got: HashMap<usize, Vec<T>> = parts.iter().map(copy).collect::<anyhow::Result<_>>()?;
        let want = |part: &Range<usize>| {
            let sum = |at: usize| {
                let (row, columns) = (at / blocks, at % blocks * sx..(at % blocks * sx + sx).min(n));
                T::matrix_vector(&a.part(&(row * n + columns.start..row * n + columns.end)), &x[columns])[0]
            };
            part.clone().map(sum).collect()
        };
        let got = |part: &Range<usize>| got[&part.start][..].into();
        Ok(T::check_parts(&got, self.partial_sums(), &parts, blocks, tolerance(sx, T::DTYPE), &want))
    }

    /// Compares elements of b with the sums of the products that the blocks which ran have added.
    fn check_parts_of_sums<T: Element>(
        &self,
        device: &Device,
        data: &mut Data<T>,
        owned: &Owned,
    ) -> anyhow::Result<Check> {
        let Case { block: Block { sx, sy }, problem, .. } = &self.case;
        let ([m, n], width) = (problem.extents, self.config.grid_dim.0 as usize);
        data.collect(device)?;
        let (a, x) = (data.input_view(A)?, data.input(X)?);
        let mut sums = vec![0.0; m];
        let ran: Vec<Range<usize>> = owned.ran.iter().map(|ran| ran.start as usize..ran.end as usize).collect();
        for of_row in in_rows(&ran, width) {
            let (y, first) = (of_row.start / width, of_row.start % width);
            let columns = first * sx..((first + of_row.len()) * sx).min(n);
            let rows = y * sy..((y + 1) * sy).min(m);
            for (row, sum) in rows.clone().zip(&mut sums[rows]) {
                let products = a.part(&(row * n + columns.start..row * n + columns.end));
                *sum += T::matrix_vector(&products, &x[columns.clone()])[0];
            }
        }
        let want = |range: &Range<usize>| sums[range.clone()].to_vec();
        Ok(check_owned(data.result_view()?, owned, m, tolerance(n, T::DTYPE), want))
    }

    /// The sum of each block, the one that it should have by the elements that it owns, and by how much they may differ.
    fn sums<'d, T: Element>(
        &self,
        device: &Device,
        data: &'d Data<T>,
    ) -> anyhow::Result<(Vec<T>, impl Fn(usize) -> f64 + Sync + 'd, f64)> {
        let blocks = usize::try_from(self.blocks())?;
        let sums = device.stream.clone_dtoh(&data.scratch[0].slice(..blocks))?;
        let a = data.input_view(A)?;
        let width = 16 / T::DTYPE.bytes();
        let whole = a.count() / width * width;
        let sum = move |range: Range<usize>| a.part(&range).iter().map(|one| one.to_f64()).sum::<f64>();
        // Each block has so many chunks per thread, one after the other, what is left over the last one.
        let per_block = self.case.read_per_block();
        let want = move |block: usize| {
            let left_over = if block + 1 == blocks { whole..a.count() } else { 0..0 };
            sum((block * per_block).min(whole)..((block + 1) * per_block).min(whole)) + sum(left_over)
        };
        let terms = per_block + self.case.block.sx * self.case.block.sy;
        Ok((sums, want, tolerance(terms, T::DTYPE)))
    }
}

/// Extents as the kernels' `int`; `Shape::extents` refuses what does not fit.
fn extents(problem: &Problem) -> [i32; 2] {
    problem.extents.map(|extent| extent as i32)
}

/// The error of a plan of `strategies` that cannot be launched.
fn no_plan(what: &str, file: &str) -> anyhow::Error {
    LabError::host(what, format!("look at lab-gemv/src/strategies/{file}")).into()
}

fn blocks(extent: usize, per_block: usize) -> anyhow::Result<u32> {
    Ok(u32::try_from(extent.div_ceil(per_block))?)
}

fn launch_config(device: &Device, case: &Case, function: &Function) -> anyhow::Result<LaunchConfig> {
    let Case { block, problem, portion, .. } = case;
    let [m, n] = problem.extents;
    let grid_dim = match case.variant.rung.method {
        Method::Read { .. } => (u32::try_from(case.read_blocks())?, 1, 1),
        Method::Repeated | Method::Atomic { .. } => (blocks(n, block.sx)?, blocks(m, block.sy)?, 1),
        Method::Warp { .. } => (blocks(m, block.sy * portion)?, 1, 1),
        Method::BlockPerRow => (u32::try_from(m)?, 1, 1),
        Method::Cooperative => cooperative_grid(device, case, function)?,
    };
    let most = device.context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?;
    if i64::from(grid_dim.1) > i64::from(most) {
        return Err(LabError::limit(
            format!("{m} rows need {} rows of blocks; a grid on this device has {most} at most", grid_dim.1),
            "choose a larger --sy, or a smaller --size",
        )
        .into());
    }
    let [sx, sy] = [block.sx as u32, block.sy as u32];
    Ok(LaunchConfig {
        grid_dim,
        block_dim: if case.variant.rung.method.is_ceiling() { (sx * sy, 1, 1) } else { (sx, sy, 1) },
        shared_mem_bytes: dynamic_shared_bytes(case) as u32,
    })
}

/// Bytes of dynamic shared memory: one partial sum per thread where a block adds up in shared memory.
fn dynamic_shared_bytes(case: &Case) -> usize {
    match case.variant.rung.method {
        Method::Repeated | Method::Cooperative | Method::Atomic { in_shared_memory: true } => {
            case.block.sx * case.block.sy * case.problem.dtype.bytes()
        }
        Method::Read { .. }
        | Method::Atomic { in_shared_memory: false }
        | Method::Warp { .. }
        | Method::BlockPerRow => 0,
    }
}

fn resident_blocks(case: &Case, function: &Function) -> anyhow::Result<u32> {
    let threads = u32::try_from(case.block.sx * case.block.sy)?;
    Ok(function.occupancy_max_active_blocks_per_multiprocessor(threads, dynamic_shared_bytes(case), None)?)
}

/// As many blocks as the device holds at once, which a barrier of the whole grid needs.
fn cooperative_grid(device: &Device, case: &Case, function: &Function) -> anyhow::Result<(u32, u32, u32)> {
    let per_multiprocessor = resident_blocks(case, function)? as usize;
    let multiprocessors = device.limits()?.multiprocessors;
    if per_multiprocessor == 0 {
        return Err(LabError::limit(
            format!("a cooperative launch needs all blocks on the device at once; of blocks of {} threads a multiprocessor holds none", case.block_text()),
            "choose a smaller --sx or --sy",
        )
        .into());
    }
    let [m, n] = case.problem.extents;
    let [columns, rows] = (case.strategies.grid)(Room {
        blocks_per_multiprocessor: per_multiprocessor,
        multiprocessors,
        rows_of_blocks: m.div_ceil(case.block.sy),
        columns_of_blocks: n.div_ceil(case.block.sx),
    });
    if rows == 0 || columns == 0 || columns > n.div_ceil(case.block.sx) {
        return Err(no_plan(&format!("a grid of {columns}×{rows} blocks"), "cooperative.rs"));
    }
    Ok((u32::try_from(columns)?, u32::try_from(rows)?, 1))
}
