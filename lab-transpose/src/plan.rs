//! The plan of a run: every case, checked against the device's limits before anything is allocated.

use crate::options::{Options, Place};
use crate::variants::{COMPILED_EDGES, Rung, Threads, VARIANTS};
use common::LabError;
use common::command_line::or_default;
use common::device::{ByDevice, Device};
use common::ladder::{self, Variant};
use common::plan::{check_edge, problems};
use common::result::Note;

/// One matrix to be transposed: the input is m×n, the result n×m.
pub type Problem = common::plan::Problem<[usize; 2]>;

/// One row to be: a variant on a problem.
#[derive(Clone, Debug)]
pub struct Case {
    /// The rung.
    pub variant: &'static Variant<Rung>,
    /// The problem that it transposes.
    pub problem: Problem,
    /// Edge of a square block; the other rungs have a shape of their own.
    pub edge: usize,
    /// Where the result goes.
    pub place: Place,
}

/// Everything that will be measured.
pub type Plan = common::plan::Plan<Case>;

/// Used where the command line names none.
const DEFAULT_EDGES: &[usize] = &[32];
/// The assignment's sizes as far as they are quick where each instruction is interpreted; all of them and larger ones on a GPU.
const DEFAULT_SIZES: ByDevice<&[usize]> = ByDevice {
    simulator: &[32, 64, 128, 256, 512, 1024],
    gpu: &[32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384],
};

/// Every combination that the options ask for. Errors: bad sizes or edges, unknown variants, more than the device has.
pub fn plan(options: &Options, device: &Device) -> anyhow::Result<Plan> {
    let args = &options.common;
    let mut variants = ladder::select(VARIANTS, &args.variant)?;
    if !variants.iter().any(|variant| variant.rung.threads == Threads::Chunks) {
        // The others are measured against it.
        variants.insert(0, &VARIANTS[0]);
    }
    let limits = device.limits()?;
    let edges = or_default(&args.edge, DEFAULT_EDGES);
    for &edge in &edges {
        check_edge(edge, &limits)?;
        check_compiled(edge, &variants)?;
    }
    let places = or_default(&options.place, &[Place::Out]);
    let mut plan = Plan::empty(args, device, !options.no_yardsticks);
    plan.keep_runnable(&mut variants, "transpose", device)?;
    for problem in problems(args, device, DEFAULT_SIZES, "mxn", matrices)? {
        let cases = cases(&problem, &variants, &edges, &places, &mut plan.notes);
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

    fn label(&self) -> String {
        let Case { variant, problem, place, .. } = self;
        let place = match place {
            Place::Out => "out of place",
            Place::In => "in place",
        };
        format!("{} {}, block {}, {}, {place}", variant.name, problem.size, self.block_text(), problem.dtype)
    }
}

impl Case {
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

/// Every variant with every edge and place that it has.
fn cases(
    problem: &Problem,
    variants: &[&'static Variant<Rung>],
    edges: &[usize],
    places: &[Place],
    notes: &mut Vec<Note>,
) -> Vec<Case> {
    let [m, n] = problem.extents;
    if m != n && places.contains(&Place::In) {
        notes.push(format!("{}: only a square matrix is transposed in place", problem.size).into());
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

/// An edge that the chosen kernels are compiled for.
fn check_compiled(edge: usize, variants: &[&'static Variant<Rung>]) -> anyhow::Result<()> {
    let compiled_in = |variant: &&&'static Variant<Rung>| {
        matches!(variant.rung.threads, Threads::Square { edge_compiled_in: true, .. })
    };
    match variants.iter().find(compiled_in) {
        Some(variant) if !COMPILED_EDGES.contains(&edge) => Err(LabError::usage(
            format!("edge {edge}: {} is compiled for the edges {COMPILED_EDGES:?}", variant.name),
            "--edge 8, 16 or 32, or --variant naive,shared_dynamic, which take any edge",
        )
        .into()),
        _ => Ok(()),
    }
}

/// The matrix and its transpose at once on the device.
fn matrices([m, n]: [usize; 2]) -> (u128, String) {
    (2 * m as u128 * n as u128, format!("the matrix ({m}×{n}) and its transpose"))
}
