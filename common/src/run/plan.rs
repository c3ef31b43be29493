//! The plan of a run: problems, cases, the outer loop over sizes and types, and its limits.

use crate::command_line::{CommonArgs, or_default};
use crate::device::{ByDevice, Device, Limits};
use crate::element::Dtype;
use crate::error::LabError;
use crate::host_memory::HostMemory;
use crate::ladder::Variant;
use crate::matrix::distinct_seed;
use crate::result::{Note, NoteKind};
use crate::shape::Shape;
use crate::timing::Runs;

/// One problem, whose data several cases share.
#[derive(Clone, Debug)]
pub struct Problem<E> {
    /// As the command line has it.
    pub size: Shape,
    /// Along each dimension: `[m, n]`.
    pub extents: E,
    /// Element type of all operands.
    pub dtype: Dtype,
    /// Where the operands live on the host.
    pub host_memory: HostMemory,
    /// Seed of the operands.
    pub seed: u64,
}

impl<E: Extents> Problem<E> {
    /// A problem of these extents, which `--size` would name alike.
    pub fn new(extents: E, dtype: Dtype, host_memory: HostMemory, seed: u64) -> Self {
        Problem { size: Shape::new(extents.as_ref()), extents, dtype, host_memory, seed }
    }
}

/// Extents of a small problem that all differ, and are no multiples of a warp or of each other.
pub const SKEWED: [usize; 3] = [40, 72, 56];

impl<const N: usize> Problem<[usize; N]> {
    /// The same problem with small extents that all differ.
    pub fn skewed(&self) -> Self {
        let extents = std::array::from_fn(|dimension| SKEWED[dimension]);
        Problem { extents, size: Shape::new(&extents), ..self.clone() }
    }
}

/// The extents of a lab's problems: `[usize; N]`.
pub trait Extents: AsRef<[usize]> + Copy + std::fmt::Debug + Send + Sync + 'static {
    /// The extents of a size. `names` are those of the dimensions, "mxkxn". Errors: another number of dimensions.
    fn of(size: &Shape, names: &str) -> Result<Self, LabError>;
    /// From each dimension's number.
    fn from_fn(extent: impl FnMut(usize) -> usize) -> Self;
}

impl<const N: usize> Extents for [usize; N] {
    fn of(size: &Shape, names: &str) -> Result<Self, LabError> {
        size.extents(names)
    }

    fn from_fn(extent: impl FnMut(usize) -> usize) -> Self {
        std::array::from_fn(extent)
    }
}

/// One row to be: a rung on a problem.
pub trait Case {
    /// The data that a lab's rungs take to be launched.
    type Rung: 'static;
    /// Those of its problem.
    type Extents: Extents;

    /// The rung, and the problem that it computes.
    fn parts(&self) -> (&'static Variant<Self::Rung>, &Problem<Self::Extents>);
    /// The rung.
    fn variant(&self) -> &'static Variant<Self::Rung> {
        self.parts().0
    }
    /// The problem that it computes.
    fn problem(&self) -> &Problem<Self::Extents> {
        self.parts().1
    }
    /// Its name for a reader.
    fn label(&self) -> String;
    /// True if some of its blocks can stand for all, where they are sampled.
    fn samples(&self) -> bool {
        true
    }
}

/// Everything that will be measured: problems and, of each, the cases `C` that share its data.
#[derive(Clone, Debug)]
pub struct Plan<C: Case> {
    /// In the order of measurement; of each problem the ceiling first.
    pub problems: Vec<(Problem<C::Extents>, Vec<C>)>,
    /// How often each case runs.
    pub runs: Runs,
    /// True if libraries are measured beside them.
    pub baselines: bool,
    /// Notes on what was left out, and why.
    pub notes: Vec<Note>,
    /// The shared flags, for what the report includes.
    pub args: CommonArgs,
}

impl<C: Case> Plan<C> {
    /// A plan without cases yet.
    pub fn empty(args: &CommonArgs, device: &Device, baselines: bool) -> Self {
        let runs = Runs::of(args, device);
        Plan { problems: Vec::new(), runs, baselines, notes: Vec::new(), args: args.clone() }
    }

    /// Leaves out those rungs of `lab` that need a newer device than this one, with that reason among the notes.
    pub fn keep_runnable(
        &mut self,
        variants: &mut Vec<&'static Variant<C::Rung>>,
        lab: &str,
        device: &Device,
    ) -> anyhow::Result<()> {
        for variant in std::mem::take(variants) {
            match too_new(variant.name, kernels::source(lab, variant.name).ok(), device)? {
                Some(note) => self.notes.push(note),
                None => variants.push(variant),
            }
        }
        Ok(())
    }

    /// All cases of all problems.
    pub fn cases(&self) -> impl Iterator<Item = &C> {
        self.problems.iter().flat_map(|(_, cases)| cases)
    }
}

/// The note on a rung whose source needs a newer device than this one; nothing where the device runs it.
pub fn too_new(rung: &str, source: Option<kernels::Source>, device: &Device) -> anyhow::Result<Option<Note>> {
    let architecture = device.target()?.device();
    let missing = source.and_then(|source| source.requires()).filter(|&needed| !architecture.runs(needed));
    Ok(missing.map(|needed| {
        let text = format!("{rung} is left out: it needs sm_{needed}, and this device is sm_{architecture}");
        Note::new(NoteKind::LeftOut, text)
    }))
}

/// A size with a type, both as asked for or the lab's default.
#[derive(Clone, Debug)]
pub struct SizeAndType<E> {
    /// As the command line has it.
    pub size: Shape,
    /// Along each dimension.
    pub extents: E,
    /// Element type.
    pub dtype: Dtype,
}

/// Every size and type that the options ask for, f32 by default. `names` are those of the dimensions, "mxkxn"; `matrices` tells how many
/// elements a problem has on the device at once, in 128 bits because 2³¹ squared, twice over, does not fit into 64, and what they are.
///
/// # Errors
/// Sizes of another number of dimensions, or that the device's free memory does not hold.
pub fn extents<E: Extents>(
    args: &CommonArgs,
    device: &Device,
    default_sizes: ByDevice<&[usize]>,
    names: &str,
    matrices: impl Fn(E) -> (u128, String),
) -> anyhow::Result<Vec<SizeAndType<E>>> {
    let default_sizes: Vec<Shape> = device.choose(default_sizes).iter().map(|&n| Shape::square(n)).collect();
    let mut all = Vec::new();
    for size in or_default(&args.size, &default_sizes) {
        let extents = E::of(&size, names)?;
        for dtype in or_default(&args.dtype, &[Dtype::F32]) {
            let (elements, what) = matrices(extents);
            let bytes = usize::try_from(elements * dtype.bytes() as u128).unwrap_or(usize::MAX);
            device.require_memory(bytes, &format!("{what} in {dtype}"), "--size")?;
            all.push(SizeAndType { size: size.clone(), extents, dtype });
        }
    }
    Ok(all)
}

/// Every problem that the options ask for: every size and type in every kind of host memory, pageable by default, each with a seed of its own.
pub fn problems<E: Extents>(
    args: &CommonArgs,
    device: &Device,
    default_sizes: ByDevice<&[usize]>,
    names: &str,
    matrices: impl Fn(E) -> (u128, String),
) -> anyhow::Result<Vec<Problem<E>>> {
    let mut problems = Vec::new();
    for SizeAndType { size, extents, dtype } in extents(args, device, default_sizes, names, matrices)? {
        for host_memory in or_default(&args.host_memory, &[HostMemory::Pageable]) {
            let seed = distinct_seed(args.seed, problems.len() as u64);
            problems.push(Problem { size: size.clone(), extents, dtype, host_memory, seed });
        }
    }
    Ok(problems)
}

/// Errors: a square block without threads, or with more than the device takes.
pub fn check_edge(edge: usize, limits: &Limits) -> Result<(), LabError> {
    if edge == 0 {
        return Err(LabError::usage("edge 0: a block without threads", "--edge 8, 16 or 32"));
    }
    let most = limits.threads_per_block;
    if edge.saturating_mul(edge) > most {
        let what = format!("edge {edge}: a block of {edge}×{edge} threads; this device takes {most}");
        return Err(LabError::limit(what, "--edge 8, 16 or 32"));
    }
    Ok(())
}
