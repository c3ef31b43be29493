//! The host side of a problem, and one run on it from allocation to free.

use crate::plan::Case;
use anyhow::Context;
use common::benchmark::Outcome;
use common::ceiling::ArithmeticPeak;
use common::check::Check;
use common::device::Device;
use common::element::Element;
use common::host_memory::HostMemory;
use common::lazy_memory::Elements;
use common::matrix::{Matrix, allocate_device, distinct_seed, poison};
use common::owned::{Factors, Owned, check_owned_product};
use common::reference::Product;
use common::result::figures::PEAK_PERCENT;
use common::result::{Row, rate};
use common::statistics::Statistics;
use common::timing::{Phases, Stopwatch};
use cudarc::driver::CudaSlice;
use serde_json::{Map, Value, json};

/// The phases of a run, in order.
pub const PHASES: [&str; 6] = ["allocation", "copy_in", "kernel", "copy_out", "synchronisation", "free"];

/// A and B, once for each kind of host memory that inputs live in, with the same elements; and a C for each kind that results live in.
pub struct Data<T: Element> {
    inputs: Vec<(HostMemory, Matrix<T>, Matrix<T>)>,
    results: Vec<(HostMemory, Matrix<T>)>,
    /// The operands of launches in series, once such a launch has asked for them.
    resident: Option<OnDevice<T>>,
    peak: Option<ArithmeticPeak>,
    shared: Option<SharedLaunch>,
}

/// A simulated run whose C has been copied to every kind of host memory.
struct SharedLaunch {
    /// The rung, and the edge of its blocks.
    of: (&'static str, usize),
    phases: Phases,
    /// Kinds of host memory besides the run's own, and the time of the copy there.
    copies: Vec<(HostMemory, f64)>,
    /// The host memory in which C has been compared, and how that went.
    checked: Option<(HostMemory, Check)>,
}

/// The matrices on the device.
pub struct OnDevice<T> {
    /// A, m×k.
    pub a: CudaSlice<T>,
    /// B, k×n.
    pub b: CudaSlice<T>,
    /// C, m×n.
    pub c: CudaSlice<T>,
    /// A and B in another form, for the rungs that [split](crate::variants::Split) them.
    pub parts: Option<CudaSlice<T>>,
}

impl<T: Element> Data<T> {
    /// The memory that these cases need; their problems differ in host memory only.
    pub fn new(device: &Device, cases: &[Case]) -> anyhow::Result<Self> {
        let peak = ArithmeticPeak::of(device).ok().flatten();
        let mut data = Data { inputs: Vec::new(), results: Vec::new(), resident: None, peak, shared: None };
        for case in cases {
            let problem = &case.problem;
            let [m, k, n] = problem.extents;
            let memory = case.input_memory();
            if !data.inputs.iter().any(|(known, ..)| *known == memory) {
                let a = Matrix::random(device, m, k, memory, distinct_seed(problem.seed, 0))?;
                let b = Matrix::random(device, k, n, memory, distinct_seed(problem.seed, 1))?;
                data.inputs.push((memory, a, b));
            }
            let memory = problem.host_memory;
            if !data.results.iter().any(|(known, _)| *known == memory) {
                data.results.push((memory, Matrix::result(device, m, n, memory)?));
            }
        }
        Ok(data)
    }

    /// One run from allocation to free, on the default stream. C holds the result afterwards, and no element of an earlier one. `launch` puts
    /// on the stream what computes C from A and B, by way of so many elements of parts.
    pub fn run(
        &mut self,
        device: &Device,
        case: &Case,
        parts: usize,
        launch: impl FnOnce(&mut OnDevice<T>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Phases> {
        let stream = &device.stream;
        let [m, k, n] = case.problem.extents;
        let (host_a, host_b, host_c) = self.of(case);
        host_c.poison()?;
        let mut watch = Stopwatch::start(stream)?;
        let mut a = allocate_device::<T>(stream, m * k)?;
        let mut b = allocate_device::<T>(stream, k * n)?;
        let mut c = allocate_device::<T>(stream, m * n)?;
        let parts = allocate_parts(device, parts)?;
        watch.lap("allocation")?;
        poison(stream, &mut c)?;
        watch.skip()?;
        host_a.copy_in(stream, &mut a)?;
        watch.lap("copy_in")?;
        host_b.copy_in(stream, &mut b)?;
        watch.lap("copy_in")?;
        let mut matrices = OnDevice { a, b, c, parts };
        launch(&mut matrices)?;
        watch.lap("kernel")?;
        host_c.copy_out(stream, &matrices.c)?;
        watch.lap("copy_out")?;
        stream.synchronize()?;
        watch.lap("synchronisation")?;
        let copies =
            if case.shares_launch(device) { self.copy_elsewhere(device, case, &mut matrices)? } else { Vec::new() };
        if !copies.is_empty() {
            // Counted by themselves: they are other runs'.
            watch.skip()?;
        }
        drop(matrices);
        watch.lap("free")?;
        let phases = watch.finish()?;
        let of = (case.variant.name, case.edge);
        self.shared = Some(SharedLaunch { of, phases: phases.clone(), copies, checked: None });
        Ok(phases)
    }

    /// Copies C to the other kinds of host memory, each with the time that it takes.
    fn copy_elsewhere(
        &mut self,
        device: &Device,
        case: &Case,
        matrices: &mut OnDevice<T>,
    ) -> anyhow::Result<Vec<(HostMemory, f64)>> {
        let mut copies = Vec::new();
        for (memory, host_c) in self.results.iter_mut().filter(|(memory, _)| *memory != case.problem.host_memory) {
            host_c.poison()?;
            // The host waits for work on the device, as it does after a kernel; nobody needs A any more.
            poison(&device.stream, &mut matrices.a)?;
            let mut watch = Stopwatch::start(&device.stream)?;
            host_c.copy_out(&device.stream, &matrices.c)?;
            watch.lap("copy_out")?;
            copies.push((*memory, watch.finish()?.get("copy_out")));
        }
        Ok(copies)
    }

    /// The phases of a run of this case, from those of the run before, if that one's launch was the same and its C has been copied to this case's
    /// memory as well.
    pub fn repeat(&self, case: &Case) -> Option<Phases> {
        let shared = self.shared.as_ref().filter(|shared| shared.of == (case.variant.name, case.edge))?;
        let (_, copy_out) = shared.copies.iter().find(|(memory, _)| *memory == case.problem.host_memory)?;
        let mut phases = shared.phases.clone();
        phases.set("copy_out", *copy_out);
        Some(phases)
    }

    /// A and B are on the device, for launches without copies, and no element of C there or on the host is a number. There is room for so many
    /// elements of parts.
    pub fn make_resident(&mut self, device: &Device, case: &Case, parts: usize) -> anyhow::Result<()> {
        let stream = &device.stream;
        let [m, k, n] = case.problem.extents;
        if self.resident.is_none() {
            let (host_a, host_b, _) = self.of(case);
            let (mut a, mut b) = (allocate_device(stream, m * k)?, allocate_device(stream, k * n)?);
            host_a.copy_in(stream, &mut a)?;
            host_b.copy_in(stream, &mut b)?;
            self.resident = Some(OnDevice { a, b, c: allocate_device(stream, m * n)?, parts: None });
        }
        self.of(case).2.poison()?;
        let resident = self.resident()?;
        if resident.parts.as_ref().map_or(0, CudaSlice::len) < parts {
            resident.parts = allocate_parts(device, parts)?;
        }
        Ok(poison(stream, &mut resident.c)?)
    }

    /// The matrices on the device. Errors: [`Data::make_resident`] has not been called.
    pub fn resident(&mut self) -> anyhow::Result<&mut OnDevice<T>> {
        self.resident.as_mut().context("the matrices are not on the device: a launch without its preparation")
    }

    /// Copies C from the device to where [`Data::check`] looks.
    pub fn collect(&mut self, device: &Device, case: &Case) -> anyhow::Result<()> {
        let resident = self.resident.take().context("no result is on the device")?;
        self.of(case).2.copy_out(&device.stream, &resident.c)?;
        device.stream.synchronize()?;
        self.resident = Some(resident);
        Ok(())
    }

    /// Compares the last result with the reference.
    pub fn check(&mut self, case: &Case) -> anyhow::Result<Check> {
        let [m, k, n] = case.problem.extents;
        let (a, b, c) = self.of(case);
        let product = Product { m, k, n, a: a.elements()?, b: b.elements()? };
        Ok(T::check_product(&product, c.elements()?, case.problem.seed))
    }

    /// Compares those elements of the last result that were written with their references.
    pub fn check_owned(&mut self, case: &Case, owned: &Owned) -> anyhow::Result<Check> {
        let of = (case.variant.name, case.edge);
        let mut shared = self.shared.take().filter(|shared| shared.of == of);
        if let Some((memory, check)) = shared.as_ref().and_then(|shared| shared.checked.clone()) {
            let copied_to = |memory| self.results.iter().find(|(known, _)| *known == memory).map(|(_, c)| c.view());
            let bits = |c: Elements<'_, T>| {
                c.parts(owned.ranges.iter().cloned()).into_iter().map(|element| element.to_f64().to_bits())
            };
            // The same bits are as right as the first ones.
            if let (Some(first), Some(own)) = (copied_to(memory), copied_to(case.problem.host_memory))
                && bits(first?).eq(bits(own?))
            {
                self.shared = shared;
                return Ok(check);
            }
        }
        let (a, b, c) = self.of(case);
        let factors = Factors { extents: case.problem.extents, a: a.view()?, b: b.view()? };
        let check = check_owned_product(&factors, c.view()?, owned);
        if let Some(shared) = &mut shared {
            shared.checked = Some((case.problem.host_memory, check.clone()));
        }
        self.shared = shared;
        Ok(check)
    }

    /// The row of a report: rates by the median kernel time, all phases, and the figures that only the benchmark knows.
    pub fn row(&self, outcome: Outcome, variant: &str, block: String, case: &Case, figures: &[(&str, Value)]) -> Row {
        let problem = &case.problem;
        let kernel = outcome.statistics(|phases| phases.get("kernel"));
        let total = outcome.statistics(Phases::total);
        let rates = outcome.statistics(|phases| rate(case.flops(), phases.total()).unwrap_or(0.0));
        let phases: Vec<(&str, Statistics)> = PHASES
            .iter()
            .map(|&name| (name, outcome.statistics(|phases| phases.get(name))))
            .chain([("total", total)])
            .collect();
        let mut row = Row::new(variant, problem.size.clone(), block, problem.dtype, outcome.check, kernel);
        row.host_memory = problem.host_memory.name().to_owned();
        row.gflops = rate(case.flops(), kernel.median);
        row.gbytes_per_s = rate(case.bytes(), kernel.median);
        row.phases_ms = phases.iter().map(|(name, times)| ((*name).to_owned(), times.mean.into())).collect();
        let statistics: Map<String, Value> =
            phases.iter().map(|(name, times)| ((*name).to_owned(), json!(times))).collect();
        row.figures = Map::from_iter([
            ("shape".to_owned(), json!(problem.extents)),
            ("input_memory".to_owned(), case.input_memory().name().into()),
            ("total_ms".to_owned(), total.median.into()),
            ("total_gflops".to_owned(), rate(case.flops(), total.median).into()),
            ("total_gflops_statistics".to_owned(), json!(rates)),
            ("phase_statistics_ms".to_owned(), statistics.into()),
        ]);
        row.figures.extend(figures.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
        let peak = self.peak.and_then(|peak| peak.flops_per_s(problem.dtype));
        if let (Some(gflops), Some(peak)) = (row.gflops, peak) {
            row.set(&PEAK_PERCENT, gflops * 1e11 / peak);
        }
        row.observe(outcome.observations);
        row
    }

    fn of(&mut self, case: &Case) -> (&Matrix<T>, &Matrix<T>, &mut Matrix<T>) {
        let (_, a, b) = self.inputs.iter().find(|(memory, ..)| *memory == case.input_memory()).expect("made in `new`");
        let (_, c) =
            self.results.iter_mut().find(|(memory, _)| *memory == case.problem.host_memory).expect("made in `new`");
        (a, b, c)
    }
}

/// Room for so many elements of parts, if any.
fn allocate_parts<T: Element>(device: &Device, parts: usize) -> anyhow::Result<Option<CudaSlice<T>>> {
    Ok((parts > 0).then(|| allocate_device(&device.stream, parts)).transpose()?)
}
