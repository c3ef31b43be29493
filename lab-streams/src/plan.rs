//! The plan of a run: every case, checked against the device's limits before anything is allocated.

use crate::options::Options;
use crate::schedule::Part;
use crate::topics::Subject;
use crate::variants::{Batch, Rung, VARIANTS};
use crate::workload::{Kind, Workload};
use common::LabError;
use common::command_line::{CommonArgs, or_default, require_writable};
use common::device::{ByDevice, Device};
use common::element::Dtype;
use common::ladder::{self, Variant};
use common::matrix::distinct_seed;
use common::plan::too_new;
use common::result::{Note, NoteKind};
use common::shape::Shape;
use common::timing::Runs;
use cudarc::driver::CudaContext;
use std::path::PathBuf;

/// One row to be: a way to run a batch.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its row in the ladder.
    pub variant: &'static Variant<Rung>,
    /// Host memory and order.
    pub batch: Batch,
    /// The batch's work.
    pub workload: Workload,
    /// Sets of device buffers, where that is a choice.
    pub ring: usize,
}

/// One batch with all ways to run it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The batch's work.
    pub workload: Workload,
    /// The ways.
    pub cases: Vec<Case>,
    /// Single kernels on arrays as long as the batch's output.
    pub subjects: Vec<Subject>,
}

/// Everything that will be measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// In the order of measurement.
    pub problems: Vec<Problem>,
    /// How often each case runs.
    pub runs: Runs,
    /// Where the picture goes.
    pub timeline: Option<PathBuf>,
    /// The cases that were left out, each with its reason.
    pub notes: Vec<Note>,
    /// The shared flags, for what the report includes.
    pub args: CommonArgs,
}

/// n of a product where the command line has none: the lecture's order of magnitude on a GPU.
const DEFAULT_GEMM: ByDevice<usize> = ByDevice { simulator: 128, gpu: 1024 };
/// The lecture's number of products.
const DEFAULT_PRODUCTS: usize = 10;
/// Elements of a chunk: 8 MiB in f64 on a GPU, long enough for the bus's full rate.
const DEFAULT_CHUNK: ByDevice<usize> = ByDevice { simulator: 1 << 15, gpu: 1 << 20 };
/// Chunks: 1 GiB each way in f64 on a GPU.
const DEFAULT_CHUNKS: ByDevice<usize> = ByDevice { simulator: 16, gpu: 128 };

impl Plan {
    /// Every combination that the options ask for. Errors: bad sizes or counts, unknown variants, more than the device has.
    pub fn new(options: &Options, device: &Device) -> anyhow::Result<Self> {
        let args = &options.common;
        refuse_foreign_flags(args)?;
        if options.count == Some(0) {
            return Err(LabError::usage("--count 0: a batch without items has nothing to order", "--count 10").into());
        }
        if options.ring == 0 {
            return Err(LabError::usage("--ring 0: a pipeline needs a buffer to copy to", "--ring 4").into());
        }
        if let Some(path) = &options.timeline {
            require_writable("--timeline", path)?;
        }
        let mut variants = ladder::select(VARIANTS, &args.variant)?;
        if args.assignment.is_some() {
            // The document's order, so that its first table is there before the last strategy is.
            variants.sort_by_key(|variant| args.variant.iter().position(|name| name == variant.name));
        }
        if let Some(whole) = variants.iter().find(|variant| args.sample.is_some() && !launches_whole_items(variant)) {
            let why = format!(
                "--sample: {} is compared whole, since its launches are not one for each item, so that every block has to run",
                whole.name
            );
            return Err(LabError::usage(
                why,
                "--variant synchronous,streamed,streamed_pinned, or a smaller --size without --sample",
            )
            .into());
        }
        let mut notes = Vec::new();
        for variant in std::mem::take(&mut variants) {
            let file = if let Rung::Topic(topic) = variant.rung { topic.file() } else { variant.name };
            match too_new(variant.name, kernels::source("streams", file).ok(), device)? {
                Some(note) => notes.push(note),
                None => variants.push(variant),
            }
        }
        if args.variant.is_empty() && CudaContext::device_count()? < 2 {
            let needs_more = |variant: &&Variant<Rung>| matches!(variant.rung, Rung::Batch(batch) if batch.all_devices);
            notes.extend(variants.iter().filter(|variant| needs_more(variant)).map(|variant| {
                let name = variant.name;
                let text = format!("{name} is left out: with one device it is `pipelined`; --device sim:h200:2 has two, --variant {name} includes it");
                Note::new(NoteKind::LeftOut, text)
            }));
            variants.retain(|variant| !needs_more(variant));
        }
        let mut problems = Vec::new();
        for kind in or_default(&options.workload, &[Kind::Gemm]) {
            for size in or_default(&args.size, &[Shape::square(device.choose(default_extent(kind)))]) {
                let [extent] = size.extents("n")?;
                for dtype in or_default(&args.dtype, &[Dtype::F64]) {
                    let workload = Workload {
                        kind,
                        size: size.clone(),
                        extent,
                        count: options.count.unwrap_or_else(|| default_count(kind, device)),
                        dtype,
                        kernel: options.kernel,
                        seed: distinct_seed(args.seed, problems.len() as u64),
                    };
                    require_memory(device, &workload, options.ring)?;
                    problems.push(Problem::new(workload, &variants, options.ring));
                }
            }
        }
        Ok(Plan {
            problems,
            runs: Runs::of(args, device),
            timeline: options.timeline.clone(),
            notes,
            args: args.clone(),
        })
    }
}

/// True if each launch of the rung has a whole item of the batch, so that the launches are alike.
fn launches_whole_items(variant: &Variant<Rung>) -> bool {
    let Rung::Batch(batch) = variant.rung else { return false };
    let schedule = (batch.schedule)(2, 2);
    !batch.captured && schedule.steps.iter().all(|step| step.part == Part::WHOLE)
}

impl Problem {
    fn new(workload: Workload, variants: &[&'static Variant<Rung>], ring: usize) -> Self {
        let mut problem = Problem { cases: Vec::new(), subjects: Vec::new(), workload };
        for &variant in variants {
            let Problem { workload, cases, subjects } = &mut problem;
            match variant.rung {
                Rung::Batch(batch) => cases.push(Case { variant, batch, workload: workload.clone(), ring }),
                Rung::Topic(topic) => subjects.push(Subject {
                    topic,
                    name: variant.name,
                    size: workload.size.clone(),
                    len: workload.count * workload.output_len(),
                    dtype: workload.dtype,
                    seed: workload.seed,
                }),
            }
        }
        problem
    }
}

impl Case {
    /// The reader's name for this case.
    pub fn label(&self) -> String {
        let Workload { size, count, dtype, .. } = &self.workload;
        format!("{}, {count} {} of {size}, {dtype}", self.variant.name, self.workload.name())
    }
}

fn default_extent(kind: Kind) -> ByDevice<usize> {
    match kind {
        Kind::Gemm => DEFAULT_GEMM,
        Kind::Chunks => DEFAULT_CHUNK,
    }
}

fn default_count(kind: Kind, device: &Device) -> usize {
    match kind {
        Kind::Gemm => DEFAULT_PRODUCTS,
        Kind::Chunks => device.choose(DEFAULT_CHUNKS),
    }
}

/// Flags of other labs that mean nothing here are refused, not ignored.
fn refuse_foreign_flags(args: &CommonArgs) -> Result<(), LabError> {
    if !args.edge.is_empty() {
        return Err(LabError::usage(
            "--edge: this lab is about copies; its blocks have the lecture's 16×16",
            "leave it out",
        ));
    }
    if args.series {
        return Err(LabError::usage("--series: a batch is a series of launches already", "leave it out"));
    }
    if !args.host_memory.is_empty() {
        return Err(LabError::usage(
            "--host-memory: here each variant says where its matrices live",
            "--variant synchronous,pinned,registered,write_combined,mapped",
        ));
    }
    Ok(())
}

/// All items at once on the device, as the variants with a buffer set per item, and the measurement of the limit, have them.
fn require_memory(device: &Device, workload: &Workload, ring: usize) -> anyhow::Result<()> {
    let items = workload.count.max(ring) as u128;
    let elements = items * (workload.input_len() as u128 + workload.output_len() as u128);
    let bytes = usize::try_from(elements * workload.dtype.bytes() as u128).unwrap_or(usize::MAX);
    let Workload { count, size, dtype, .. } = workload;
    device.require_memory(bytes, &format!("{count} {} of {size} in {dtype}", workload.name()), "--count or --size")
}
