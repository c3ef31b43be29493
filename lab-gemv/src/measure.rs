//! Runs the plan: all cases of a problem in turns on the same data, each checked. Returns data; prints nothing.

use crate::baselines::Blas;
use crate::cold;
use crate::comparisons;
use crate::data::Data;
use crate::host::{self, HostElement};
use crate::launch::Kernel;
use crate::options::Options;
use crate::plan::{Case, Plan, Problem};
use anyhow::Context;
use common::benchmark::{Benchmarks, add_shares, add_shares_of_ceiling, fastest_run, measure_alone};
use common::ceiling::{ArithmeticPeak, Roof};
use common::device::{ByDevice, Device};
use common::element::{Dtype, Element};
use common::lab::{Lab, Turns};
use common::result::{Report, Row, Table};
use common::subject::Subject;
use common::timing::Runs;
use cudarc::cublas::{CudaBlas, Gemv};
use kernels::Source;

/// Measures every case of the plan. Stops at the first that gives no result.
pub fn measure(options: &Options, plan: &Plan, device: &Device) -> anyhow::Result<Report> {
    // The simulator's clock has one rate for A, warm or cold.
    let cold = options.cold || device.choose(ByDevice { simulator: false, gpu: true });
    common::lab::measure(
        &mut MatrixVector {
            cold,
            host: (!options.no_cpu).then(host::table),
            launch_bound: Vec::new(),
            arithmetic_bound: Vec::new(),
        },
        plan,
        device,
    )
}

/// Measures one case with a kernel from `source`: the rung's own, or a test's changed one.
pub fn run_case(device: &Device, source: &Source, case: &Case, runs: Runs) -> anyhow::Result<Row> {
    match case.problem.dtype {
        Dtype::F32 => run_typed::<f32>(device, source, case, runs),
        Dtype::F64 => run_typed::<f64>(device, source, case, runs),
    }
}

fn run_typed<T: Element>(device: &Device, source: &Source, case: &Case, runs: Runs) -> anyhow::Result<Row> {
    let mut data = Data::<T>::new(device, &case.problem, std::slice::from_ref(case))?;
    measure_alone(device, &mut data, Kernel::new(device, source, case)?, runs)
}

/// What this lab adds to the loop over a plan.
struct MatrixVector {
    /// Whether each row is measured once more with A in no cache.
    cold: bool,
    /// The same products on this host's cores, unless they are left out.
    host: Option<Table>,
    /// Problems so small that a launch takes longer than reading A.
    launch_bound: Vec<String>,
    /// Problems of a type that the card computes slowly in.
    arithmetic_bound: Vec<String>,
}

impl Lab for MatrixVector {
    type Problem = Problem;
    type Case = Case;

    const NAME: &'static str = "gemv";

    fn subject<'c>(&self, case: &'c Case) -> Subject<'c, Case> {
        Subject { rung: case.variant.name, extents: &case.problem.extents, case }
    }

    fn label(&self, case: &Case) -> String {
        case.label()
    }

    fn alone(&self, device: &Device, case: &Case, runs: Runs) -> anyhow::Result<Row> {
        run_case(device, &kernels::source(Self::NAME, case.variant.name)?, case, runs)
    }

    fn together(&mut self, turns: &Turns<'_>, problem: &Problem, cases: &[Case]) -> anyhow::Result<Vec<Row>> {
        match problem.dtype {
            Dtype::F32 => self.measure_problem::<f32>(turns, problem, cases),
            Dtype::F64 => self.measure_problem::<f64>(turns, problem, cases),
        }
    }

    fn conclude(&mut self, report: &mut Report, device: &Device) -> anyhow::Result<()> {
        if let Some(peak) = ArithmeticPeak::of(device)? {
            add_peak_shares(report, &peak);
        }
        if !self.launch_bound.is_empty() {
            report.notes.push(format!(
                "no share of memory's limit for {}: launching a kernel takes longer there than reading A, so all good rungs take as long",
                self.launch_bound.join(", ")
            ));
        }
        if !self.arithmetic_bound.is_empty() {
            report.notes.push(format!(
                "no share of memory's limit for {}: this card computes so slowly in that type that arithmetic may be the limit",
                self.arithmetic_bound.join(", ")
            ));
        }
        comparisons::add(report);
        report.tables.extend(self.host.take());
        Ok(())
    }

    fn next(&self, report: &Report) -> &'static str {
        let caches =
            |name: &str| report.rows.iter().any(|row| row.figures.get("cache").is_some_and(|cache| cache == name));
        if !caches("prefer-l1") {
            "cargo run -rp lab-gemv -- --cache prefer-none,prefer-l1,prefer-shared --sx 16   (whether the cache preference matters)"
        } else {
            "cargo run -rp lab-gemv -- --counters --variant atomic,shuffle --sx 32   (why one is faster)"
        }
    }
}

impl MatrixVector {
    /// The cases of one problem, with cuBLAS where it is there, and the host's own product.
    fn measure_problem<T: HostElement>(
        &mut self,
        turns: &Turns<'_>,
        problem: &Problem,
        cases: &[Case],
    ) -> anyhow::Result<Vec<Row>>
    where
        CudaBlas: Gemv<T>,
    {
        let mut data = Data::<T>::new(turns.device, problem, cases)?;
        let mut benchmarks: Benchmarks<Data<T>> = Vec::new();
        for case in cases {
            let source = kernels::source(Self::NAME, case.variant.name)?;
            benchmarks.push(Box::new(Kernel::new(turns.device, &source, case)?));
        }
        if let Some(blas) = turns.blas {
            benchmarks.push(Box::new(Blas { blas, problem }));
        }
        let mut rows = turns.measure(&mut data, &benchmarks)?;
        add_shares_of_ceiling(&mut rows, "read", "memory_percent");
        add_shares(&mut rows, "cublas", "cublas_percent");
        if self.cold {
            cold::add(&mut rows, turns, &mut data, &benchmarks).context("measuring with A in no cache")?;
        }
        let bound = if launch_binds(turns.device, problem, &rows)? {
            Some(&mut self.launch_bound)
        } else if arithmetic_binds(turns.device, problem.dtype)? {
            Some(&mut self.arithmetic_bound)
        } else {
            None
        };
        if let Some(bound) = bound {
            for row in &mut rows {
                row.figures.retain(|key, _| !SHARES_OF_MEMORY.contains(&key.as_str()));
            }
            bound.push(format!("{} in {}", problem.size, problem.dtype));
        }
        if let Some(table) = &mut self.host {
            host::measure(table, problem, &data)?;
        }
        Ok(rows)
    }
}

/// Figures that say how far a kernel is from reading A once.
const SHARES_OF_MEMORY: [&str; 2] = ["memory_percent", "cold_memory_percent"];

/// Where `read` takes more than this many times what the memory needs for A, the launch is what takes the time.
const LAUNCH_BOUND: f64 = 10.0;

/// Whether `read` says nothing of the memory. Errors: the driver's.
fn launch_binds(device: &Device, problem: &Problem, rows: &[Row]) -> anyhow::Result<bool> {
    let Some(memory) = Roof::of(device)?.memory_gbytes_per_s else { return Ok(false) };
    let [m, n] = problem.extents;
    let needed_ms = (m * n * problem.dtype.bytes()) as f64 / (memory * 1e9) * 1e3;
    Ok(fastest_run(rows, "read").is_some_and(|read| read > LAUNCH_BOUND * needed_ms))
}

/// Where arithmetic takes more than this share of what the memory needs, it can be the limit of what lies in L2.
const ARITHMETIC_BOUND: f64 = 0.25;

/// Whether the card computes so slowly in this type, as GeForce cards do in f64, that `read`, which adds up what it reads, says nothing of
/// the memory. Errors: the driver's.
fn arithmetic_binds(device: &Device, dtype: Dtype) -> anyhow::Result<bool> {
    let peak = ArithmeticPeak::of(device)?.and_then(|peak| peak.flops_per_s(dtype));
    let (Some(flops), Some(memory)) = (peak, Roof::of(device)?.memory_gbytes_per_s) else { return Ok(false) };
    Ok(2.0 / flops > ARITHMETIC_BOUND * dtype.bytes() as f64 / (memory * 1e9))
}

fn add_peak_shares(report: &mut Report, peak: &ArithmeticPeak) {
    for row in &mut report.rows {
        if let (Some(gflops), Some(most)) = (row.gflops, peak.flops_per_s(row.dtype)) {
            row.figures.insert("peak_percent".into(), (gflops * 1e9 / most * 100.0).into());
        }
    }
    let ArithmeticPeak { multiprocessors, cores_per_multiprocessor, clock_hz, .. } = *peak;
    if let Some(most) = peak.flops_per_s(Dtype::F32) {
        report.notes.push(format!(
            "arithmetic peak: 2 · {multiprocessors}·{cores_per_multiprocessor} cores · {:.3} GHz = {:.0} GFLOP/s in f32; \
             memory limit: the rate of `read` at the same size, which is the ceiling that counts: a product reads 4 bytes for 2 flop",
            clock_hz / 1e9,
            most / 1e9
        ));
    }
}
