//! What a run will do: the outer loop over sizes and types that labs have in common, and its limits.

use crate::command_line::{CommonArgs, or_default};
use crate::device::{ByDevice, Device, Limits};
use crate::element::Dtype;
use crate::error::LabError;
use crate::ladder::Variant;
use crate::shape::Shape;
use crate::timing::Runs;

/// Everything that will be measured: problems `P` and, of each, the cases `C` that share its data.
#[derive(Clone, Debug)]
pub struct Plan<P, C> {
    /// In the order of measurement; of each problem the ceiling first.
    pub problems: Vec<(P, Vec<C>)>,
    /// How often each case runs.
    pub runs: Runs,
    /// Whether libraries are measured beside them.
    pub baselines: bool,
    /// What was left out, and why.
    pub notes: Vec<String>,
    /// The shared flags, for what the report includes.
    pub args: CommonArgs,
}

impl<P, C> Plan<P, C> {
    /// A plan without cases yet.
    pub fn empty(args: &CommonArgs, device: &Device, baselines: bool) -> Self {
        let runs = Runs::of(args, device);
        Plan { problems: Vec::new(), runs, baselines, notes: Vec::new(), args: args.clone() }
    }

    /// Leaves out those rungs of `lab` that need a newer device than this one, with that reason among the notes.
    pub fn keep_runnable<R>(
        &mut self,
        variants: &mut Vec<&'static Variant<R>>,
        lab: &str,
        device: &Device,
    ) -> anyhow::Result<()> {
        let architecture = device.target()?.device();
        variants.retain(|variant| {
            let source = kernels::source(lab, variant.name).ok();
            let missing = source.and_then(|source| source.requires()).filter(|&needed| !architecture.runs(needed));
            self.notes.extend(missing.map(|needed| {
                format!("{} is left out: it needs sm_{needed}, and this device is sm_{architecture}", variant.name)
            }));
            missing.is_none()
        });
        Ok(())
    }

    /// All cases of all problems.
    pub fn cases(&self) -> impl Iterator<Item = &C> {
        self.problems.iter().flat_map(|(_, cases)| cases)
    }
}

/// A size with a type, both as asked for or the lab's default.
#[derive(Clone, Debug)]
pub struct Extents<const N: usize> {
    /// As the command line has it.
    pub size: Shape,
    /// Along each dimension.
    pub extents: [usize; N],
    /// Element type.
    pub dtype: Dtype,
}

/// Every size and type that the options ask for, f32 by default. `names` are those of the dimensions, "mxkxn"; `matrices` tells how many
/// elements a problem has on the device at once, in 128 bits because 2³¹ squared, twice over, does not fit into 64, and what they are.
///
/// # Errors
/// Sizes of another number of dimensions, or that the device's free memory does not hold.
pub fn extents<const N: usize>(
    args: &CommonArgs,
    device: &Device,
    default_sizes: ByDevice<&[usize]>,
    names: &str,
    matrices: impl Fn([usize; N]) -> (u128, String),
) -> anyhow::Result<Vec<Extents<N>>> {
    let default_sizes: Vec<Shape> = device.choose(default_sizes).iter().map(|&n| Shape::square(n)).collect();
    let mut all = Vec::new();
    for size in or_default(&args.size, &default_sizes) {
        let extents = size.extents(names)?;
        for dtype in or_default(&args.dtype, &[Dtype::F32]) {
            let (elements, what) = matrices(extents);
            let bytes = elements * dtype.bytes() as u128;
            device.require_memory(usize::try_from(bytes).unwrap_or(usize::MAX), &format!("{what} in {dtype}"))?;
            all.push(Extents { size: size.clone(), extents, dtype });
        }
    }
    Ok(all)
}

/// Errors: a square block without threads, or with more than the device takes.
pub fn check_edge(edge: usize, limits: &Limits) -> Result<(), LabError> {
    if edge == 0 {
        return Err(LabError::host("edge 0: a block without threads", "--edge 8, 16 or 32"));
    }
    let most = limits.threads_per_block;
    if edge.saturating_mul(edge) > most {
        let what = format!("edge {edge}: a block of {edge}×{edge} threads; this device takes {most}");
        return Err(LabError::limit(what, "--edge 8, 16 or 32"));
    }
    Ok(())
}
