//! The lab: its plan, data, kernels and yardstick, and what follows from the rows.

use crate::comparisons::{self, CACHE};
use crate::data::{self, A, Data, X, check};
use crate::document::DOCUMENTS;
use crate::host;
use crate::launch::Kernel;
use crate::options::Options;
use crate::plan::{Case, Parts, Plan, Problem, plan};
use crate::question::QUESTION;
use crate::variants::{COLUMNS, Rung, VARIANTS};
use anyhow::Context;
use common::benchmark::{Benchmark, Benchmarks, add_shares, add_shares_of_ceiling, fastest_run};
use common::ceiling::{ArithmeticPeak, Roof};
use common::command_line::CommonArgs;
use common::device::{ByDevice, Device};
use common::element::{Dtype, Element};
use common::experiment::{Document, Measure};
use common::lab::Lab;
use common::ladder::Variant;
use common::operands::Yardstick;
use common::question::Question;
use common::report::Column;
use common::result::figures::PEAK_PERCENT;
use common::result::{Next, Report, Row, Table};
use common::turns::{Ladder, Turns};
use kernels::Source;

/// Matrix-vector products in turns, with cuBLAS and the host's cores beside them.
pub struct MatrixVector {
    /// True if each row is measured once more with A in no cache.
    cold: bool,
    /// The same products on this host's cores, unless they are left out.
    host: Option<Table>,
    /// Problems so small that a launch takes longer than reading A.
    launch_bound: Vec<String>,
    /// Problems of a type that the card computes slowly in.
    arithmetic_bound: Vec<String>,
}

impl Lab for MatrixVector {
    type Options = Options;
    type Rung = Rung;

    const NAME: &'static str = "gemv";
    const VARIANTS: &'static [Variant<Rung>] = VARIANTS;
    const COLUMNS: &'static [Column] = COLUMNS;
    const QUESTION: Option<Question> = Some(QUESTION);
    const DOCUMENTS: &'static [Document<Options>] = DOCUMENTS;
    const ARGS: fn(&mut Options) -> &mut CommonArgs = |options| &mut options.common;
    const REPORT: Measure<Options> = common::turns::report::<Self>;
}

impl Ladder for MatrixVector {
    type Case = Case;
    type Data<T: Element> = Data<T>;

    fn new(options: &Options, device: &Device) -> Self {
        MatrixVector {
            // The simulator's clock has one rate for A, warm or cold.
            cold: options.cold || device.choose(ByDevice { simulator: false, gpu: true }),
            host: (!options.no_cpu).then(host::table),
            launch_bound: Vec::new(),
            arithmetic_bound: Vec::new(),
        }
    }

    fn plan(options: &Options, device: &Device) -> anyhow::Result<Plan> {
        plan(options, device)
    }

    fn skewed(case: &Case) -> Option<Case> {
        Some(Case { problem: case.problem.skewed(), parts: Parts::AsAsked, ..case.clone() })
    }

    fn data<T: Element>(device: &Device, problem: &Problem, cases: &[Case]) -> anyhow::Result<Data<T>> {
        data::new(device, problem, cases)
    }

    fn kernel<'c, T: Element>(
        device: &Device,
        source: &Source,
        case: &'c Case,
    ) -> anyhow::Result<Box<dyn Benchmark<Data<T>> + 'c>> {
        Ok(Box::new(Kernel::new(device, source, case)?))
    }

    fn yardsticks<'a, T: Element>(
        &self,
        turns: &Turns<'a>,
        problem: &'a Problem,
        _: &'a [Case],
    ) -> Benchmarks<'a, Data<T>> {
        let mut yardsticks: Benchmarks<'a, Data<T>> = Vec::new();
        if let Some(blas) = turns.blas {
            // SAFETY: the slices hold m·n, n and m elements.
            #[allow(unsafe_code)]
            let launch = move |_: &Device, data: &mut Data<T>| unsafe {
                T::multiply_vector(blas, problem.extents, &data.inputs[A], &data.inputs[X], &mut data.output)
            };
            let check = |device: &Device, data: &mut Data<T>| check(device, data, problem);
            yardsticks.push(Box::new(Yardstick::new("cublas", problem, launch, check)));
        }
        yardsticks
    }

    fn add_figures<T: Element>(
        &mut self,
        turns: &Turns<'_>,
        problem: &Problem,
        data: &mut Data<T>,
        benchmarks: &[Box<dyn Benchmark<Data<T>> + '_>],
        rows: &mut [Row],
    ) -> anyhow::Result<()> {
        add_shares_of_ceiling(rows, "read", "memory_percent");
        add_shares(rows, "cublas", "cublas_percent");
        if self.cold {
            let share: (&str, fn(&mut [Row], &str)) =
                ("cold_memory_percent", |rows, key| add_shares_of_ceiling(rows, "read", key));
            common::cold::add(rows, turns, data, benchmarks, |data| vec![&mut data.inputs[A]], share)
                .context("measuring with A in no cache")?;
        }
        let bound = if launch_binds(turns.device, problem, rows)? {
            Some(&mut self.launch_bound)
        } else if arithmetic_binds(turns.device, problem.dtype)? {
            Some(&mut self.arithmetic_bound)
        } else {
            None
        };
        if let Some(bound) = bound {
            for row in rows {
                row.figures.retain(|key, _| !SHARES_OF_MEMORY.contains(&key.as_str()));
            }
            bound.push(format!("{} in {}", problem.size, problem.dtype));
        }
        if let Some(table) = &mut self.host {
            host::measure(table, problem, data)?;
        }
        Ok(())
    }

    fn conclude(&mut self, report: &mut Report, device: &Device) -> anyhow::Result<()> {
        if let Some(peak) = ArithmeticPeak::of(device)? {
            add_peak_shares(report, &peak);
        }
        let launch = "launching a kernel takes longer there than reading A, so all good rungs take as long";
        let arithmetic = "this card computes so slowly in that type that arithmetic may be the limit";
        for (bound, why) in [(&self.launch_bound, launch), (&self.arithmetic_bound, arithmetic)] {
            if !bound.is_empty() {
                report.notes.push(format!("no share of memory's limit for {}: {why}", bound.join(", ")).into());
            }
        }
        comparisons::add(report);
        report.tables.extend(self.host.take());
        Ok(())
    }

    fn next(&self, report: &Report) -> Next {
        let caches = |name: &str| report.rows.iter().any(|row| row.get(&CACHE).is_some_and(|cache| cache == name));
        if !caches("prefer-l1") {
            Next::new(
                "cargo run -rp lab-gemv -- --cache prefer-none,prefer-l1,prefer-shared --sx 16",
                "whether the cache preference matters",
            )
        } else {
            Next::new("cargo run -rp lab-gemv -- --counters --variant atomic,shuffle --sx 32", "why one is faster")
        }
    }
}

/// Figures that say how far a kernel is from reading A once.
const SHARES_OF_MEMORY: [&str; 2] = ["memory_percent", "cold_memory_percent"];

/// Where `read` takes more than this many times what the memory needs for A, the launch is what takes the time.
const LAUNCH_BOUND: f64 = 10.0;

/// Returns whether `read` says nothing of the memory. Errors: the driver's.
fn launch_binds(device: &Device, problem: &Problem, rows: &[Row]) -> anyhow::Result<bool> {
    let Some(memory) = Roof::of(device)?.memory_gbytes_per_s else { return Ok(false) };
    let [m, n] = problem.extents;
    let needed_ms = (m * n * problem.dtype.bytes()) as f64 / (memory * 1e9) * 1e3;
    Ok(fastest_run(rows, "read").is_some_and(|read| read > LAUNCH_BOUND * needed_ms))
}

/// Where arithmetic takes more than this share of what the memory needs, it can be the limit of what lies in L2.
const ARITHMETIC_BOUND: f64 = 0.25;

/// Returns whether the card computes so slowly in this type, as GeForce cards do in f64, that `read`, which adds up what it reads, says nothing of
/// the memory. Errors: the driver's.
fn arithmetic_binds(device: &Device, dtype: Dtype) -> anyhow::Result<bool> {
    let peak = ArithmeticPeak::of(device)?.and_then(|peak| peak.flops_per_s(dtype));
    let (Some(flops), Some(memory)) = (peak, Roof::of(device)?.memory_gbytes_per_s) else { return Ok(false) };
    Ok(2.0 / flops > ARITHMETIC_BOUND * dtype.bytes() as f64 / (memory * 1e9))
}

fn add_peak_shares(report: &mut Report, peak: &ArithmeticPeak) {
    for row in &mut report.rows {
        if let (Some(gflops), Some(most)) = (row.gflops, peak.flops_per_s(row.dtype)) {
            row.set(&PEAK_PERCENT, gflops * 1e9 / most * 100.0);
        }
    }
    let ArithmeticPeak { multiprocessors, cores_per_multiprocessor, clock_hz, .. } = *peak;
    if let Some(most) = peak.flops_per_s(Dtype::F32) {
        report.notes.push(format!(
            "arithmetic peak: 2 · {multiprocessors}·{cores_per_multiprocessor} cores · {:.3} GHz = {:.0} GFLOP/s in f32; \
             memory limit: the rate of `read` at the same size, which is the ceiling that counts: a product reads 4 bytes for 2 flop",
            clock_hz / 1e9,
            most / 1e9
        ).into());
    }
}
