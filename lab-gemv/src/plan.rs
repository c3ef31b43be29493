//! The plan of a run: every case, checked against the device's limits before anything is allocated.

use crate::options::{CachePreference, Options};
use crate::strategies::Strategies;
use crate::variants::{Block, MOST_THREADS, Method, Rung, VARIANTS};
use common::LabError;
use common::command_line::or_default;
use common::device::{ByDevice, Device};
use common::ladder::{self, Variant};
use common::plan::problems;
use common::result::{Note, NoteKind};
use cudarc::driver::sys::CUdevice_attribute as Attribute;

/// One product b = A·x: A is m×n, x has n elements, b has m.
pub type Problem = common::plan::Problem<[usize; 2]>;

/// One row to be: a variant on a problem.
#[derive(Clone, Debug)]
pub struct Case {
    /// The rung.
    pub variant: &'static Variant<Rung>,
    /// The problem that it computes.
    pub problem: Problem,
    /// Threads of a block.
    pub block: Block,
    /// The kernel's preference for L1 or shared memory.
    pub cache: CachePreference,
    /// The work of one warp or thread: one of the method's [portions](Method::portions).
    pub portion: usize,
    /// Who decides about launches and grids.
    pub strategies: Strategies,
    /// Which of its blocks are run where some of them would be, although they meet.
    pub parts: Parts,
}

/// The blocks that are run of a rung whose blocks meet, with `--sample`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parts {
    /// All of them, for the simulator's reason.
    #[default]
    AsAsked,
    /// All of them: there are few.
    All,
    /// Some, for all: what they add to b is a part of it, and a launch that would read what others wrote reads A in its place.
    Some,
}

/// Everything that will be measured.
pub type Plan = common::plan::Plan<Case>;

/// Used where the command line names none.
const DEFAULT_SX: &[usize] = &[4, 8, 16, 32, 64];
const DEFAULT_SY: &[usize] = &[16];
/// Small where each instruction is interpreted, the assignment's on a GPU.
const DEFAULT_SIZES: ByDevice<&[usize]> = ByDevice { simulator: &[256, 1024], gpu: &[1024, 2048, 4096, 8192, 16384] };

/// Elements of A up to which a run of some blocks for all (`--sample`) has rungs whose blocks all have to be run.
const MOST_WHOLE: usize = 2048 * 2048;

/// Elements of A up to which all blocks are run that meet, where some could stand for them: their waves are few, and all of the result is checked.
const MOST_IN_FULL: usize = 1024 * 1024;

/// Every combination that the options ask for. Errors: bad sizes or blocks, unknown variants, more than the device has.
pub fn plan(options: &Options, device: &Device) -> anyhow::Result<Plan> {
    let args = &options.common;
    if !args.edge.is_empty() {
        return Err(LabError::usage("--edge: the blocks of this lab are sx × sy", "--sx 16 --sy 16").into());
    }
    let mut plan = Plan::empty(args, device, !options.no_cublas);
    let mut variants = ladder::select(VARIANTS, &args.variant)?;
    if !options.no_ceiling && !variants.iter().any(|variant| variant.rung.method.is_ceiling()) {
        variants.extend(VARIANTS.iter().filter(|variant| variant.rung.method.is_ceiling()));
    }
    let variants = runnable(variants, device, &mut plan.notes)?;
    let blocks = blocks(options, device)?;
    let caches = or_default(&options.cache, &[CachePreference::default()]);
    for problem in problems(args, device, DEFAULT_SIZES, "mxn", matrices)? {
        let Problem { extents, dtype, ref size, .. } = problem;
        let mut cases = Vec::new();
        for &variant in &variants {
            let method = variant.rung.method;
            let is_large = extents.iter().product::<usize>() > MOST_WHOLE;
            let parts = match method {
                Method::Repeated | Method::Atomic { .. } if args.sample_sums => {
                    if extents.iter().product::<usize>() > MOST_IN_FULL { Parts::Some } else { Parts::All }
                }
                _ => Parts::AsAsked,
            };
            if args.sample.is_some() && args.variant.is_empty() && method.meets() && is_large {
                let name = variant.name;
                let text = format!(
                    "{name} at {size} is left out: its blocks work on each other's results, so that none of them can stand for others; \
                     --variant {name} runs all of them, which takes minutes"
                );
                plan.notes.push(Note::new(NoteKind::LeftOut, text));
                continue;
            }
            let portions = match (method, options.rows_per_warp) {
                (Method::Warp { rows }, Some(wanted)) => vec![check_rows(variant, rows, wanted)?],
                (Method::Warp { rows }, None) => vec![rows_per_warp(rows, extents[0], device)?],
                _ => method.portions().to_vec(),
            };
            for &block in &blocks_of(method, &blocks, extents[1] * dtype.bytes()) {
                for (&cache, &portion) in caches.iter().flat_map(|cache| portions.iter().map(move |p| (cache, p))) {
                    let (problem, strategies) = (problem.clone(), Strategies::default());
                    cases.push(Case { variant, problem, block, cache, portion, strategies, parts });
                }
            }
        }
        cases.retain(|case| {
            let known = case.variant.rung.dtypes.contains(&dtype);
            let text = format!("{} is left out in {dtype}: its file has no such kernel", case.variant.name);
            let note = Note::new(NoteKind::LeftOut, text);
            if !known && !plan.notes.contains(&note) {
                plan.notes.push(note);
            }
            known
        });
        plan.problems.push((problem, cases));
    }
    Ok(plan)
}

impl common::plan::Case for Case {
    type Rung = Rung;
    type Extents = [usize; 2];

    fn parts(&self) -> (&'static Variant<Rung>, &Problem) {
        (self.variant, &self.problem)
    }

    fn samples(&self) -> bool {
        self.parts == Parts::Some || !self.variant.rung.method.meets()
    }

    fn label(&self) -> String {
        let Case { variant, problem, cache, .. } = self;
        format!("{} {}, block {}, {}, {cache}", variant.name, problem.size, self.block_text(), problem.dtype)
    }
}

impl Case {
    /// Threads of a block as reports have them.
    pub fn block_text(&self) -> String {
        format!("{}x{}", self.block.sx, self.block.sy)
    }

    /// Elements of A that a block of the ceiling adds up.
    pub(crate) fn read_per_block(&self) -> usize {
        self.block.sx * self.block.sy * self.portion * (16 / self.problem.dtype.bytes())
    }

    /// Blocks of the ceiling.
    pub(crate) fn read_blocks(&self) -> usize {
        let [m, n] = self.problem.extents;
        (m * n).div_ceil(self.read_per_block())
    }

    /// The kernel's symbol.
    pub fn symbol(&self) -> String {
        self.variant.rung.symbol(self.variant.name, self.problem.dtype, self.portion)
    }
}

/// Floating-point operations of one product.
pub fn flops([m, n]: [usize; 2]) -> f64 {
    2.0 * m as f64 * n as f64
}

/// The chosen variants that this device can run, the ceiling first; the others with the reason why not.
fn runnable(
    mut variants: Vec<&'static Variant<Rung>>,
    device: &Device,
    notes: &mut Vec<Note>,
) -> anyhow::Result<Vec<&'static Variant<Rung>>> {
    // The ceiling first: the others are measured against it.
    variants.sort_by_key(|variant| !variant.rung.method.is_ceiling());
    let (major, minor) = device.context.compute_capability()?;
    let cooperative = device.context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)?;
    variants.retain(|variant| {
        let lacks = variant.rung.method == Method::Cooperative && (cooperative == 0 || major < 6);
        notes.extend(lacks.then(|| {
            let text = format!(
                "{} is left out: this device (compute capability {major}.{minor}) has no cooperative launch, which begins with 6.0",
                variant.name
            );
            Note::new(NoteKind::LeftOut, text)
        }));
        !lacks
    });
    Ok(variants)
}

/// Every sx with every sy. Errors: what is no power of two, too small to add anything up, or more threads than a block takes.
fn blocks(options: &Options, device: &Device) -> anyhow::Result<Vec<Block>> {
    let most = device.limits()?.threads_per_block.min(MOST_THREADS);
    let mut blocks = Vec::new();
    for sy in or_default(&options.sy, DEFAULT_SY) {
        for sx in or_default(&options.sx, DEFAULT_SX) {
            if !sx.is_power_of_two() || !sy.is_power_of_two() {
                return Err(LabError::usage(
                    format!("block {sx}x{sy}: the tree halves its row of threads, so both must be powers of two"),
                    "--sx 16 --sy 16",
                )
                .into());
            }
            if sx < 2 {
                return Err(LabError::usage(
                    format!("block {sx}x{sy}: a row of one thread adds nothing up"),
                    "--sx 2 or more",
                )
                .into());
            }
            if sx.saturating_mul(sy) > most {
                return Err(LabError::limit(
                    format!(
                        "block {sx}x{sy}: {} threads; a block on this device takes {most}",
                        sx as u128 * sy as u128
                    ),
                    "choose a smaller --sx or --sy",
                )
                .into());
            }
            blocks.push(Block { sx, sy });
        }
    }
    Ok(blocks)
}

/// The blocks of a rung for rows of so many bytes, each once.
fn blocks_of(method: Method, blocks: &[Block], row_bytes: usize) -> Vec<Block> {
    let mut own: Vec<Block> = blocks.iter().map(|&block| method.block(block, row_bytes)).collect();
    own.dedup();
    own
}

/// Rows per warp by default: as many as leave 12 warps for each multiprocessor, which is what keeps enough loads in flight.
fn rows_per_warp(rows: &[usize], m: usize, device: &Device) -> anyhow::Result<usize> {
    let warps = 12 * device.limits()?.multiprocessors;
    Ok(rows.iter().copied().filter(|rows| m / rows >= warps).max().unwrap_or(1))
}

/// Rows per warp as asked for, where the rung has a choice. Errors: a number that it is not compiled for.
fn check_rows(variant: &Variant<Rung>, rows: &[usize], rows_per_warp: usize) -> Result<usize, LabError> {
    match rows {
        &[only] => Ok(only),
        _ if rows.contains(&rows_per_warp) => Ok(rows_per_warp),
        _ => Err(LabError::usage(
            format!("{rows_per_warp} rows per warp: {} is compiled for {rows:?}", variant.name),
            "--rows-per-warp 1, 2 or 4",
        )),
    }
}

/// A, x, b and the partial sums of the narrowest block at once on the device.
fn matrices([m, n]: [usize; 2]) -> (u128, String) {
    let [rows, columns] = [m as u128, n as u128];
    let elements = rows * columns + columns + rows + rows * columns / 2 + rows * columns / 4 + 2 * rows;
    (elements, format!("A ({m}×{n}), x, b and the partial sums"))
}
