//! What a run will do: every case, checked against the device's limits before anything is allocated.

use crate::options::{Options, Place};
use crate::variants::{COMPILED_EDGES, Rung, Threads, VARIANTS};
use common::LabError;
use common::command_line::{CommonArgs, or_default};
use common::device::{ByDevice, Device};
use common::element::Dtype;
use common::host_memory::HostMemory;
use common::ladder::{self, Variant};
use common::matrix::distinct_seed;
use common::shape::Shape;
use common::timing::Runs;

/// One matrix to be transposed.
#[derive(Clone, Debug)]
pub struct Problem {
    /// As the command line has it.
    pub size: Shape,
    /// m, n: the input is m×n, the result n×m.
    pub extents: [usize; 2],
    /// Element type.
    pub dtype: Dtype,
    /// Host memory of both.
    pub host_memory: HostMemory,
    /// Seed of the input.
    pub seed: u64,
}

/// One row to be: a variant on a problem.
#[derive(Clone, Debug)]
pub struct Case {
    /// The rung.
    pub variant: &'static Variant<Rung>,
    /// What it transposes.
    pub problem: Problem,
    /// Edge of a square block; the other rungs have a shape of their own.
    pub edge: usize,
    /// Where the result goes.
    pub place: Place,
}

/// Everything that will be measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Problem by problem; of each, the ceiling first.
    pub problems: Vec<(Problem, Vec<Case>)>,
    /// How often each case runs.
    pub runs: Runs,
    /// Whether cuBLAS and the driver's copy are measured beside them.
    pub yardsticks: bool,
    /// What was left out, and why.
    pub notes: Vec<String>,
    /// The shared flags, for what the report includes.
    pub args: CommonArgs,
}

/// Used where the command line names none.
const DEFAULT_EDGES: &[usize] = &[32];
/// The assignment's sizes as far as they are quick where each instruction is interpreted; all of them and larger ones on a GPU.
const DEFAULT_SIZES: ByDevice<&[usize]> = ByDevice {
    simulator: &[32, 64, 128, 256, 512, 1024],
    gpu: &[32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384],
};

impl Plan {
    /// Every combination that the options ask for. Errors: bad sizes or edges, unknown variants, more than the device has.
    pub fn new(options: &Options, device: &Device) -> anyhow::Result<Self> {
        let args = &options.common;
        let mut variants = ladder::select(VARIANTS, &args.variant)?;
        if !variants.iter().any(|variant| variant.rung.threads == Threads::Chunks) {
            // The others are measured against it.
            variants.insert(0, &VARIANTS[0]);
        }
        let edges = or_default(&args.edge, DEFAULT_EDGES);
        for &edge in &edges {
            check_edge(edge, &variants, device)?;
        }
        let default_sizes: Vec<Shape> = device.choose(DEFAULT_SIZES).iter().map(|&n| Shape::square(n)).collect();
        let mut notes = Vec::new();
        let mut problems = Vec::new();
        for size in or_default(&args.size, &default_sizes) {
            let extents = size.extents("mxn")?;
            for dtype in or_default(&args.dtype, &[Dtype::F32]) {
                require_memory(device, extents, dtype)?;
                for host_memory in or_default(&args.host_memory, &[HostMemory::Pageable]) {
                    let seed = distinct_seed(args.seed, problems.len() as u64);
                    let problem = Problem { size: size.clone(), extents, dtype, host_memory, seed };
                    let cases =
                        cases(&problem, &variants, &edges, &or_default(&options.place, &[Place::Out]), &mut notes);
                    problems.push((problem, cases));
                }
            }
        }
        Ok(Plan {
            problems,
            runs: Runs::of(args, device),
            yardsticks: !options.no_yardsticks,
            notes,
            args: args.clone(),
        })
    }
}

impl Plan {
    /// All cases of all problems.
    pub fn cases(&self) -> impl Iterator<Item = &Case> {
        self.problems.iter().flat_map(|(_, cases)| cases)
    }
}

impl Case {
    /// What a reader calls this case.
    pub fn label(&self) -> String {
        let Case { variant, problem, place, .. } = self;
        format!("{} {}, block {}, {}, {place} of place", variant.name, problem.size, self.block_text(), problem.dtype)
    }

    /// Threads of a block as reports have them.
    pub fn block_text(&self) -> String {
        let [x, y] = self.variant.rung.threads.block(self.edge);
        format!("{x}x{y}")
    }

    /// The kernel's symbol.
    pub fn symbol(&self) -> String {
        self.variant.rung.symbol(self.variant.name, self.problem.dtype, self.edge, self.place)
    }
}

impl Problem {
    /// Bytes read and written: what any kernel has to move.
    pub fn bytes(&self) -> f64 {
        let [m, n] = self.extents.map(|extent| extent as f64);
        2.0 * m * n * self.dtype.bytes() as f64
    }
}

/// Every variant with every edge and place that it has.
fn cases(
    problem: &Problem,
    variants: &[&'static Variant<Rung>],
    edges: &[usize],
    places: &[Place],
    notes: &mut Vec<String>,
) -> Vec<Case> {
    let [m, n] = problem.extents;
    if m != n && places.contains(&Place::In) {
        notes.push(format!("{}: only a square matrix is transposed in place", problem.size));
    }
    let mut cases = Vec::new();
    for &variant in variants {
        let Rung { threads, in_place } = variant.rung;
        let is_ceiling = threads == Threads::Chunks;
        let edges = threads.edges(edges, problem.extents, problem.dtype);
        let possible = |place: &Place| match place {
            Place::Out => true,
            Place::In => in_place && m == n,
        };
        // The ceiling is out of place, whatever was asked for.
        let places = if is_ceiling { &[Place::Out] } else { places };
        for &place in places.iter().filter(|place| possible(place)) {
            for &edge in edges {
                cases.push(Case { variant, problem: problem.clone(), edge, place });
            }
        }
    }
    cases
}

/// A block within the device's limit, and an edge that the chosen kernels are compiled for.
fn check_edge(edge: usize, variants: &[&'static Variant<Rung>], device: &Device) -> anyhow::Result<()> {
    if edge == 0 {
        return Err(LabError::host("edge 0: a block without threads", "--edge 8, 16 or 32").into());
    }
    let most = device.limits()?.threads_per_block;
    if edge.saturating_mul(edge) > most {
        return Err(LabError::limit(
            format!("edge {edge}: a block of {edge}×{edge} threads; this device takes {most}"),
            "--edge 8, 16 or 32",
        )
        .into());
    }
    let compiled_in = |variant: &&&'static Variant<Rung>| {
        matches!(variant.rung.threads, Threads::Square { edge_compiled_in: true, .. })
    };
    match variants.iter().find(compiled_in) {
        Some(variant) if !COMPILED_EDGES.contains(&edge) => Err(LabError::host(
            format!("edge {edge}: {} is compiled for the edges {COMPILED_EDGES:?}", variant.name),
            "--edge 8, 16 or 32, or --variant naive,shared_dynamic, which take any edge",
        )
        .into()),
        _ => Ok(()),
    }
}

/// The matrix and its transpose at once on the device.
fn require_memory(device: &Device, [m, n]: [usize; 2], dtype: Dtype) -> anyhow::Result<()> {
    let bytes = 2 * m as u128 * n as u128 * dtype.bytes() as u128;
    let what = format!("the matrix ({m}×{n}) and its transpose in {dtype}");
    device.require_memory(usize::try_from(bytes).unwrap_or(usize::MAX), &what)
}
