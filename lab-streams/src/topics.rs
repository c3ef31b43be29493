//! The lecture's side topics: where coefficients lie, and which clock times a kernel.

use crate::card::stamp;
use crate::engine::place_of_run;
use crate::variants::Topic;
use common::call::{Call, Function};
use common::check::{Check, tolerance};
use common::device::Device;
use common::element::{Dtype, Element};
use common::matrix::{allocate_device, poison};
use common::observations::Observations;
use common::result::{Row, rate};
use common::shape::Shape;
use common::statistics::Statistics;
use common::timing::Runs;
use cudarc::driver::result::stream::get_priority_range;
use cudarc::driver::sys::CUlimit;
use cudarc::driver::{CudaSlice, CudaStream, DevicePtrMut, LaunchConfig, result};
use kernels::Source;
use std::sync::Arc;

/// Threads of a block.
const THREADS: usize = 256;
/// Blocks per multiprocessor: as many as are resident at most.
const BLOCKS_PER_MULTIPROCESSOR: usize = 8;
/// Degree of the polynomial: 2·15 flops and 16 coefficients per element.
const DEGREE: usize = 15;
/// The kernel that times itself computes `FACTOR · x + 1`.
const FACTOR: f64 = 0.75;
/// A row of more elements is a child's, as in the kernel's file.
const LONG: i64 = 256;
/// Kernels that kernels have launched and that wait, at the most, where nobody asks for more.
const PENDING: usize = 2048;
/// The value of each time before a launch.
const NO_TIME: u64 = u64::MAX;

/// A topic with its array.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Which.
    pub topic: Topic,
    /// Its name in the ladder.
    pub name: &'static str,
    /// As the command line has it.
    pub size: Shape,
    /// Elements of the array.
    pub len: usize,
    /// Element type.
    pub dtype: Dtype,
    /// Seed of the array.
    pub seed: u64,
}

impl Subject {
    /// The file of the kernel.
    pub fn source(&self) -> Result<Source, kernels::KernelError> {
        kernels::source("streams", self.topic.file())
    }
}

impl Topic {
    /// The stem of the kernel's file without its number.
    pub fn file(self) -> &'static str {
        match self {
            Topic::Polynomial { .. } => "constant",
            Topic::DeviceTimed => "device_timed",
            Topic::Rows { .. } => "children",
        }
    }
}

/// Times by the three clocks, in milliseconds.
struct Clocks {
    events: f64,
    host: f64,
    device: Option<f64>,
}

/// Measures one topic with a kernel from `source`: its own, or a test's changed one.
pub fn run_topic(device: &Device, source: &Source, subject: &Subject, runs: Runs) -> anyhow::Result<Row> {
    match subject.dtype {
        Dtype::F32 => run_typed::<f32>(device, source, subject, runs),
        Dtype::F64 => run_typed::<f64>(device, source, subject, runs),
    }
}

fn run_typed<T: Element>(device: &Device, source: &Source, subject: &Subject, runs: Runs) -> anyhow::Result<Row> {
    let mut bench = Bench::<T>::new(device, source, subject)?;
    let mut clocks = Vec::new();
    let mut check: Option<Check> = None;
    device.observe()?;
    bench.poison(device)?;
    for round in 0..runs.total() {
        // As in a series of batches: what lies between two runs should not slow the host's calls.
        let place = place_of_run(round, subject.len);
        bench.poison_element(device, place)?;
        let times = bench.run(device)?;
        if round >= runs.warmup {
            clocks.push(times);
        }
        if round == 0 || round + 1 == runs.total() || !bench.has_written(device, place)? {
            let found = bench.check(device)?;
            if check.as_ref().is_none_or(|earlier| earlier.correct) {
                check = Some(found);
            }
        }
    }
    let observations = device.observe()?;
    Ok(bench.row(subject, &clocks, check.expect("at least one run"), observations))
}

/// A kernel with its buffers.
struct Bench<T: Element> {
    topic: Topic,
    function: Function,
    config: LaunchConfig,
    host_lane: Arc<CudaStream>,
    input: CudaSlice<T>,
    output: CudaSlice<T>,
    coefficients: CudaSlice<T>,
    times: CudaSlice<u64>,
    /// The first element of each row, and the end of the last.
    starts: CudaSlice<i64>,
    /// Kernels of a run, those among them that kernels launch.
    launches: usize,
    want: Vec<f64>,
}

impl<T: Element> Bench<T> {
    fn new(device: &Device, source: &Source, subject: &Subject) -> anyhow::Result<Self> {
        let stream = &device.stream;
        let mut input = vec![T::POISON; subject.len];
        T::fill_random(&mut input, subject.seed);
        let mut coefficients = vec![T::POISON; DEGREE + 1];
        T::fill_random(&mut coefficients, !subject.seed);
        let dtype = T::DTYPE;
        let symbol = match subject.topic {
            Topic::Polynomial { constant: true } => format!("constant_{dtype}"),
            Topic::Polynomial { constant: false } => format!("constant_global_{dtype}"),
            Topic::DeviceTimed => format!("device_timed_{dtype}"),
            Topic::Rows { children: true } => format!("children_{dtype}"),
            Topic::Rows { children: false } => format!("children_flat_{dtype}"),
        };
        let module = device.module(source)?;
        let function = Function::find(&module, source, &symbol)?;
        if matches!(subject.topic, Topic::Polynomial { constant: true }) {
            let mut symbol = module.get_global(&format!("coefficients_{dtype}"), stream)?;
            copy_to_symbol(stream, &coefficients, &mut symbol)?;
        }
        let most = device.limits()?.multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
        let starts = starts(subject.len);
        let blocks = match subject.topic {
            Topic::Rows { .. } => (starts.len() - 1).div_ceil(THREADS),
            _ => subject.len.div_ceil(THREADS).min(most),
        } as u32;
        let long = starts.windows(2).filter(|row| row[1] - row[0] > LONG).count();
        let launches = 1 + if subject.topic == (Topic::Rows { children: true }) { long } else { 0 };
        // A card loses launches that are more than wait at once, and tells the kernel alone.
        if launches > PENDING {
            device.context.set_limit(CUlimit::CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, launches)?;
        }
        let want = input.iter().map(|x| expected(subject.topic, x.to_f64(), &coefficients)).collect();
        Ok(Bench {
            topic: subject.topic,
            function,
            config: LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS as u32, 1, 1), shared_mem_bytes: 0 },
            host_lane: device.context.new_stream_with_priority(get_priority_range()?.1)?,
            input: stream.clone_htod(&input)?,
            output: allocate_device(stream, subject.len)?,
            coefficients: stream.clone_htod(&coefficients)?,
            times: stream.alloc_zeros(4 * blocks as usize)?,
            launches,
            starts: stream.clone_htod(&starts)?,
            want,
        })
    }

    /// Overwrites the output and the times that the kernel takes itself.
    fn poison(&mut self, device: &Device) -> anyhow::Result<()> {
        poison(&device.stream, &mut self.output)?;
        device.stream.memcpy_htod(&vec![NO_TIME; self.times.len()], &mut self.times)?;
        Ok(())
    }

    /// Overwrites one element of the output.
    fn poison_element(&mut self, device: &Device, place: usize) -> anyhow::Result<()> {
        Ok(poison(&device.stream, &mut self.output.slice_mut(place..=place))?)
    }

    /// Returns whether the run has written it again.
    fn has_written(&self, device: &Device, place: usize) -> anyhow::Result<bool> {
        let element = device.stream.clone_dtoh(&self.output.slice(place..=place))?;
        Ok(!element[0].to_f64().is_nan())
    }

    /// One launch by all clocks. The stamps of the host's come from a stream where nothing else runs.
    fn run(&mut self, device: &Device) -> anyhow::Result<Clocks> {
        let stream = &device.stream;
        stream.synchronize()?;
        let host_start = stamp(&self.host_lane)?;
        let start = stamp(stream)?;
        self.launch(stream)?;
        let end = stamp(stream)?;
        end.synchronize()?;
        let host_end = stamp(&self.host_lane)?;
        let device_ms = match self.topic {
            Topic::DeviceTimed => device_ms(&stream.clone_dtoh(&self.times)?),
            _ => None,
        };
        Ok(Clocks {
            events: f64::from(start.elapsed_ms(&end)?),
            host: f64::from(host_start.elapsed_ms(&host_end)?),
            device: device_ms,
        })
    }

    #[allow(unsafe_code)]
    fn launch(&mut self, stream: &Arc<CudaStream>) -> anyhow::Result<()> {
        let count = self.input.len() as i64;
        let (degree, factor, rows) = (DEGREE as i32, T::from_f64(FACTOR), self.starts.len() as i32 - 1);
        let mut builder = Call::new(stream, &self.function);
        builder.arg(&mut self.output).arg(&self.input);
        match self.topic {
            Topic::Polynomial { constant: true } => builder.arg(&degree).arg(&count),
            Topic::Polynomial { constant: false } => builder.arg(&self.coefficients).arg(&degree).arg(&count),
            Topic::DeviceTimed => builder.arg(&factor).arg(&count).arg(&mut self.times),
            Topic::Rows { .. } => builder.arg(&factor).arg(&self.starts).arg(&rows),
        };
        // SAFETY: the signatures are (T *out, const T *in, int degree, long long count), the same with const T *c before degree, and
        // (T *out, const T *in, T factor, long long count, unsigned long long *times), or (T *out, const T *in, T factor, const long long
        // *starts, int rows); out and in hold count elements, c degree + 1, times four per block, starts one more than there are rows.
        unsafe { builder.launch(self.config) }?;
        Ok(())
    }

    fn check(&self, device: &Device) -> anyhow::Result<Check> {
        let got = device.stream.clone_dtoh(&self.output)?;
        // Each step of Horner's rule multiplies and adds; the values stay below 16, so the bound is that of 16 · 32 terms.
        let terms = match self.topic {
            Topic::Polynomial { .. } => (DEGREE + 1) * 2 * (DEGREE + 1),
            Topic::DeviceTimed | Topic::Rows { .. } => 2,
        };
        Ok(T::check_elements(&got, &self.want, 1, tolerance(terms, T::DTYPE)))
    }

    fn row(&self, subject: &Subject, clocks: &[Clocks], check: Check, mut observations: Observations) -> Row {
        let series =
            |of: &dyn Fn(&Clocks) -> Option<f64>| Statistics::of(&clocks.iter().filter_map(of).collect::<Vec<f64>>());
        let events = series(&|times| Some(times.events)).expect("at least one counted run");
        let mut row = Row::new(subject.name, subject.size.clone(), THREADS.to_string(), T::DTYPE, check, events);
        let flops_per_element = match self.topic {
            Topic::Polynomial { .. } => 2.0 * DEGREE as f64,
            Topic::DeviceTimed | Topic::Rows { .. } => 2.0,
        };
        let len = subject.len as f64;
        row.gflops = rate(flops_per_element * len, events.median);
        row.gbytes_per_s = rate(2.0 * len * T::DTYPE.bytes() as f64, events.median);
        row.phases_ms.insert("kernel".into(), events.mean.into());
        row.phases_ms.insert("total".into(), events.mean.into());
        row.figures.insert("elements".into(), subject.len.into());
        if matches!(self.topic, Topic::Rows { .. }) {
            row.figures.insert("launches".into(), self.launches.into());
        }
        if self.topic == Topic::DeviceTimed {
            let median = |of: &dyn Fn(&Clocks) -> Option<f64>| series(of).map(|statistics| statistics.median);
            row.figures.insert("device_ms".into(), median(&|times| times.device).into());
            row.figures.insert("host_ms".into(), median(&|times| Some(times.host)).into());
        }
        // The counters are those of the kernel that the host launched.
        observations.launches.retain(|launch| !launch.kernel.starts_with("children_row"));
        row.observe(observations);
        row
    }
}

/// Rows of so many elements together: of 64 in turns, 63 are short and one is long.
fn starts(len: usize) -> Vec<i64> {
    let [short, long] = [8, 4096];
    let mut starts = vec![0];
    while let Some(&last) = starts.last().filter(|&&last| last < len as i64) {
        let own = if starts.len().is_multiple_of(64) { long } else { short };
        starts.push((last + own).min(len as i64));
    }
    starts
}

/// The kernel's expected result for one element, in f64.
fn expected<T: Element>(topic: Topic, x: f64, coefficients: &[T]) -> f64 {
    match topic {
        Topic::Polynomial { .. } => coefficients.iter().rev().fold(0.0, |value, c| value * x + c.to_f64()),
        Topic::DeviceTimed | Topic::Rows { .. } => FACTOR * x + 1.0,
    }
}

/// From the first block's begin to the last one's end, by the device's own timer; `None` if a block left no note, or an end before its begin.
fn device_ms(times: &[u64]) -> Option<f64> {
    if times.contains(&NO_TIME) || times.chunks_exact(2).any(|pair| pair[1] < pair[0]) {
        return None;
    }
    let begin = times.chunks_exact(4).map(|block| block[0]).min()?;
    let end = times.chunks_exact(4).map(|block| block[1]).max()?;
    Some(end.saturating_sub(begin) as f64 / 1e6)
}

/// `cudaMemcpyToSymbol`.
#[allow(unsafe_code)]
fn copy_to_symbol<T: Element>(
    stream: &Arc<CudaStream>,
    values: &[T],
    symbol: &mut impl DevicePtrMut<u8>,
) -> anyhow::Result<()> {
    anyhow::ensure!(
        std::mem::size_of_val(values) <= symbol.len(),
        "the symbol is too small for {} values",
        values.len()
    );
    let (address, _record) = symbol.device_ptr_mut(stream);
    // SAFETY: the symbol has room for the values, which outlive the call because it waits.
    unsafe { result::memcpy_htod_sync(address, values) }?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_devices_time_runs_from_the_first_begin_to_the_last_end() {
        let times = [5_000_000, 6_000_000, 0, 0, 4_000_000, 5_500_000, 0, 0];
        assert_eq!(device_ms(&times), Some(2.0));
        // A block that wrote nothing.
        assert_eq!(device_ms(&[NO_TIME, NO_TIME, NO_TIME, NO_TIME, 4, 5, 0, 0]), None);
        assert_eq!(device_ms(&[]), None);
    }

    #[test]
    fn rows_are_short_but_for_one_of_64_and_cover_all_elements() {
        let rows = |len| starts(len).windows(2).map(|row| row[1] - row[0]).collect::<Vec<_>>();
        assert_eq!((rows(1), rows(10), rows(0)), (vec![1], vec![8, 2], vec![]));
        let many = rows(2 * (63 * 8 + 4096));
        assert_eq!((many.len(), many.iter().filter(|&&own| own == 4096).count()), (128, 2));
    }

    #[test]
    fn a_polynomial_by_hand() {
        // 1 + 2x + 3x² at 2.
        assert_eq!(expected(Topic::Polynomial { constant: true }, 2.0, &[1f64, 2.0, 3.0]), 17.0);
        assert_eq!(expected::<f64>(Topic::DeviceTimed, 2.0, &[]), 2.5);
    }
}
