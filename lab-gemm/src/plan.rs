//! The plan of a run: every case, checked against the device's limits before anything is allocated.

use crate::options::{Options, Placement};
use crate::strategies::{self, Memory};
use crate::variants::{Rung, VARIANTS};
use common::LabError;
use common::command_line::or_default;
use common::device::{ByDevice, Device};
use common::element::Dtype;
use common::exercise::planned;
use common::host_memory::HostMemory;
use common::ladder::{self, Variant};
use common::matrix::distinct_seed;
use common::plan::{SizeAndType, check_edge};
use common::result::{Note, NoteKind};

/// One product C = A·B: A is m×k, B k×n, C m×n, for extents m, k, n. Its host memory is C's.
pub type Problem = common::plan::Problem<[usize; 3]>;

/// One row to be: a problem, and the variant that solves it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The rung.
    pub variant: &'static Variant<Rung>,
    /// Edge of the square thread block.
    pub edge: usize,
    /// Which matrices live in the problem's host memory; the others are pageable.
    pub placement: Placement,
    /// The problem that it computes.
    pub problem: Problem,
}

/// Everything that will be measured: the cases of one size and type differ in host memory, and share the elements of A and B.
pub type Plan = common::plan::Plan<Case>;

/// Used where the command line names none.
const DEFAULT_EDGES: &[usize] = &[32];
/// Assignment 4's sizes where each instruction is interpreted, assignment 1's on a GPU (16384 by flag).
const DEFAULT_SIZES: ByDevice<&[usize]> = ByDevice { simulator: &[64, 128, 256], gpu: &[512, 1024, 2048, 4096, 8192] };

/// Every combination that the options ask for. Errors: bad sizes or edges, unknown variants, more than the device has.
pub fn plan(options: &Options, device: &Device) -> anyhow::Result<Plan> {
    let args = &options.common;
    let mut variants = ladder::select(VARIANTS, &args.variant)?;
    let limits = device.limits()?;
    let edges = or_default(&args.edge, DEFAULT_EDGES);
    for &edge in &edges {
        check_edge(edge, &limits)?;
        check_compiled(edge, &variants)?;
    }
    let mut plan = Plan::empty(args, device, !options.no_cublas);
    plan.keep_runnable(&mut variants, "gemm", device)?;
    let all = common::plan::extents(args, device, DEFAULT_SIZES, "mxkxn", matrices)?;
    for (SizeAndType { size, extents, dtype }, number) in all.into_iter().zip(1..) {
        // All variants of a problem get the same matrices.
        let seed = distinct_seed(args.seed, number);
        let problem = |host_memory| Problem { size: size.clone(), extents, dtype, host_memory, seed };
        // Launches in series copy nothing: the host's memory says nothing about them.
        let memories = if args.series { vec![HostMemory::Pageable] } else { default_memories() };
        let memories = or_default(&args.host_memory, &memories);
        let mut cases = Vec::new();
        for &variant in &variants {
            let by_default = (args.size.is_empty() || args.sample.is_some()) && args.variant.is_empty();
            let up_to = variant.rung.default_up_to;
            if by_default && extents.iter().any(|&n| n > up_to) {
                let name = variant.name;
                let text = format!(
                    "{name} at {size} is left out (it would take most of the run); --variant {name} includes it"
                );
                plan.notes.push(Note::new(NoteKind::LeftOut, text));
                continue;
            }
            if !variant.rung.dtypes.contains(&dtype) {
                let text = format!("{} at {size} is left out: it has no kernel for {dtype}", variant.name);
                plan.notes.push(Note::new(NoteKind::LeftOut, text));
                continue;
            }
            for &edge in variant.rung.edges(&edges) {
                let case = |&memory: &HostMemory| Case {
                    variant,
                    edge,
                    placement: options.placement,
                    problem: problem(memory),
                };
                cases.extend(memories.iter().map(case));
            }
        }
        require_parts(device, extents, dtype, &cases)?;
        if !cases.is_empty() {
            plan.problems.push((problem(memories[0]), cases));
        }
    }
    Ok(plan)
}

impl common::plan::Case for Case {
    type Rung = Rung;
    type Extents = [usize; 3];

    fn parts(&self) -> (&'static Variant<Rung>, &Problem) {
        (self.variant, &self.problem)
    }

    fn label(&self) -> String {
        let Problem { size, dtype, .. } = &self.problem;
        format!("{} {size}, block {}, {dtype}", self.variant.name, self.block())
    }
}

impl Case {
    /// Host memory of A and B.
    pub fn input_memory(&self) -> HostMemory {
        match self.placement {
            Placement::Result => HostMemory::Pageable,
            Placement::All => self.problem.host_memory,
        }
    }

    /// True where a launch stands for those that differ in C's host memory alone: a simulated one takes the same time each time, unless somebody
    /// asks for a record of all that is launched and copied.
    pub fn shares_launch(&self, device: &Device) -> bool {
        self.placement == Placement::Result && device.samples() && !device.records()
    }

    /// The threads of a block, as a reader writes them: `32x32`.
    pub fn block(&self) -> String {
        let (x, y, _) = self.variant.rung.launch_config(self.problem.extents, self.edge, 0).block_dim;
        format!("{x}x{y}")
    }

    /// The kernel's symbol.
    pub fn symbol(&self) -> String {
        let Case { variant, edge, problem, .. } = self;
        variant.rung.symbol(variant.name, problem.dtype, *edge, problem.extents)
    }

    /// The symbol of the kernel that splits A and B before, where the rung has one.
    pub fn split_symbol(&self) -> String {
        let Case { variant, edge, problem, .. } = self;
        variant.rung.symbol(&format!("{}_split", variant.name), problem.dtype, *edge, problem.extents)
    }

    /// Floating-point operations of one product.
    pub fn flops(&self) -> f64 {
        let [m, k, n] = self.problem.extents.map(|extent| extent as f64);
        2.0 * m * n * k
    }

    /// Bytes of A, B and C: what any kernel has to move at least once.
    pub fn bytes(&self) -> f64 {
        let [m, k, n] = self.problem.extents.map(|extent| extent as f64);
        (m * k + k * n + m * n) * self.problem.dtype.bytes() as f64
    }
}

/// Pageable memory, and what the lab's strategy takes instead for a result that is copied out.
fn default_memories() -> Vec<HostMemory> {
    let chosen = match planned("gemm", "result_memory", &[1], memory).unwrap_or_else(|| strategies::result_memory(1)) {
        Memory::Pageable => HostMemory::Pageable,
        Memory::Pinned => HostMemory::Pinned,
    };
    let mut memories = vec![HostMemory::Pageable, chosen];
    memories.dedup();
    memories
}

/// A printed choice. Errors: a line that is none.
pub fn memory(line: &str) -> anyhow::Result<Memory> {
    match line.trim() {
        "Pageable" => Ok(Memory::Pageable),
        "Pinned" => Ok(Memory::Pinned),
        other => anyhow::bail!("'{other}' is no kind of memory"),
    }
}

/// An edge that the chosen kernels are compiled for.
fn check_compiled(edge: usize, variants: &[&'static Variant<Rung>]) -> anyhow::Result<()> {
    for variant in variants.iter().filter(|variant| variant.rung.edge_compiled_in) {
        let symbol = variant.rung.symbol(variant.name, Dtype::F32, edge, [1; 3]);
        let exports = kernels::source("gemm", variant.name)?.exports();
        if !exports.contains(&symbol) {
            return Err(LabError::usage(
                format!("edge {edge}: {} is not compiled for it; its kernels are {}", variant.name, exports.join(", ")),
                "--edge 8, 16 or 32, or --variant naive, which takes any edge",
            )
            .into());
        }
    }
    Ok(())
}

/// The matrices with the largest parts that a case splits A and B in, which stay beside them from one case to the next.
fn require_parts(device: &Device, extents: [usize; 3], dtype: Dtype, cases: &[Case]) -> anyhow::Result<()> {
    let parts = cases.iter().filter_map(|case| Some((case.variant.rung.parts(extents)?.floats(), case.variant.name)));
    let Some((parts, rung)) = parts.max() else { return Ok(()) };
    let (elements, what) = matrices(extents);
    let bytes = usize::try_from((elements + parts as u128) * dtype.bytes() as u128).unwrap_or(usize::MAX);
    device.require_memory(bytes, &format!("{what}, and what {rung} splits A and B in, in {dtype}"), "--size")
}

/// All three matrices at once on the device.
fn matrices([m, k, n]: [usize; 3]) -> (u128, String) {
    let [rows, inner, columns] = [m, k, n].map(|extent| extent as u128);
    let elements = rows * inner + inner * columns + rows * columns;
    (elements, format!("A ({m}×{k}), B ({k}×{n}) and C ({m}×{n})"))
}
