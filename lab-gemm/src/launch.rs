//! Launching a rung: its kernel found, checked against the device's limits, and given its arguments.

use crate::data::{Data, OnDevice};
use crate::plan::Case;
use crate::variants::Parts;
use anyhow::Context;
use common::LabError;
use common::benchmark::{Benchmark, Outcome};
use common::call::{Call, Function};
use common::check::Check;
use common::device::Device;
use common::element::{Dtype, Element};
use common::owned::Owned;
use common::plan::Case as _;
use common::recorder;
use common::result::Row;
use common::timing::Phases;
use cudarc::driver::sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
use cudarc::driver::{CudaSlice, CudaView, LaunchConfig};
use kernels::Source;

/// A loaded kernel with the case that it computes.
#[derive(Debug)]
pub struct Kernel<'a> {
    case: &'a Case,
    function: Function,
    config: LaunchConfig,
    shared_bytes: usize,
    /// The kernel that splits A and B first.
    split: Option<(Function, Parts)>,
}

impl<'a> Kernel<'a> {
    /// Compiles and loads. Errors: a kernel that does not compile, or asks for more than a block may have.
    pub fn new(device: &Device, source: &Source, case: &'a Case) -> anyhow::Result<Self> {
        let load = || -> anyhow::Result<Self> {
            let function = device.kernel(source, &case.symbol())?;
            // A kibibyte is left for what the kernels declare.
            let most_shared = device.limits()?.shared_bytes_per_block_optin.saturating_sub(1024);
            let config = case.variant.rung.launch_config(case.problem.extents, case.edge, most_shared);
            let shared_bytes = check_shared_memory(device, &function, config.shared_mem_bytes)?;
            let parts = case.variant.rung.parts(case.problem.extents);
            let split =
                parts.map(|parts| anyhow::Ok((device.kernel(source, &case.split_symbol())?, parts))).transpose()?;
            Ok(Kernel { case, function, config, shared_bytes, split })
        };
        load().with_context(|| case.label())
    }
}

impl Kernel<'_> {
    /// Elements of the parts that A and B are split in; 0 where they are not.
    fn parts(&self) -> usize {
        self.split.as_ref().map_or(0, |(_, parts)| parts.floats())
    }

    fn launch_on<T: Element>(&self, device: &Device, matrices: &mut OnDevice<T>) -> anyhow::Result<()> {
        let Kernel { case, function, config, split, .. } = self;
        let OnDevice { a, b, c, parts } = matrices;
        let Some((split, Parts { config: before, of_a, of_b })) = split else {
            return launch(device, case, *config, function, c, [a.as_view(), b.as_view()]);
        };
        let parts = parts.as_mut().context("there is no room for the parts: a launch without its preparation")?;
        launch(device, case, *before, split, parts, [a.as_view(), b.as_view()])?;
        let of_both = [parts.slice(..*of_a), parts.slice(*of_a..of_a + of_b)];
        launch(device, case, *config, function, c, of_both)
    }
}

impl<T: Element> Benchmark<Data<T>> for Kernel<'_> {
    fn label(&self) -> String {
        self.case.label()
    }

    fn prepare(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        data.make_resident(device, self.case, self.parts())
    }

    fn launch(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        self.launch_on(device, data.resident()?)
    }

    fn collect(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<()> {
        data.collect(device, self.case)
    }

    fn run(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<Phases> {
        data.run(device, self.case, self.parts(), |matrices| self.launch_on(device, matrices))
    }

    fn repeat(&self, device: &Device, data: &mut Data<T>) -> anyhow::Result<Option<Phases>> {
        Ok(self.case.shares_launch(device).then(|| data.repeat(self.case)).flatten())
    }

    fn check(&self, _: &Device, data: &mut Data<T>) -> anyhow::Result<Check> {
        data.check(self.case)
    }

    fn elements(&self) -> Result<(usize, Dtype), &'static str> {
        let [m, _, n] = self.case.problem.extents;
        match self.split {
            None => Ok((m * n, T::DTYPE)),
            Some(_) => Err("its second launch reads all of what the first one writes"),
        }
    }

    fn check_owned(&self, _: &Device, data: &mut Data<T>, owned: &Owned) -> anyhow::Result<Check> {
        data.check_owned(self.case, owned)
    }

    fn row(&self, outcome: Outcome, data: &Data<T>) -> anyhow::Result<Row> {
        let Case { variant, edge, problem, .. } = self.case;
        let cgma = variant.rung.cgma_of(*edge, problem.extents);
        let figures = [("edge", (*edge).into()), ("cgma", cgma.into()), ("shared_bytes", self.shared_bytes.into())];
        Ok(data.row(outcome, variant.name, self.case.block(), self.case, &figures))
    }
}

/// Puts a kernel on the stream: the rung's, or the one that splits A and B, which writes the parts where the rung writes C.
#[allow(unsafe_code)]
fn launch<T: Element>(
    device: &Device,
    case: &Case,
    config: LaunchConfig,
    function: &Function,
    to: &mut CudaSlice<T>,
    [a, b]: [CudaView<'_, T>; 2],
) -> anyhow::Result<()> {
    let [m, k, n] = case.problem.extents;
    // `Shape::extents` refuses what does not fit.
    let [m, k, n] = [m, k, n].map(|extent| extent as i32);
    let mut builder = Call::new(&device.stream, function);
    // The kernels' order: m, n, k.
    builder.arg(to).arg(&a).arg(&b).arg(&m).arg(&n).arg(&k);
    // SAFETY: the rungs' signature is (T *c, const T *a, const T *b, int m, int n, int k), and the slices hold m·n, m·k and k·n elements; or the
    // parts of A and B, as many as `Rung::parts` says, which both kernels of the file agree on.
    unsafe { recorder::launch(&device.stream, &mut builder, config) }?;
    Ok(())
}

/// The bytes of shared memory that a block takes: what the kernel declares, and what its launch asks for. More than a block may
/// have is refused before its launch.
fn check_shared_memory(device: &Device, function: &Function, asked: u32) -> anyhow::Result<usize> {
    let declared = usize::try_from(function.shared_size_bytes()?)?;
    let needed = declared + asked as usize;
    let most = device.limits()?.shared_bytes_per_block;
    if asked > 0 && needed > most {
        // Beyond what every block may have, a kernel has to be given leave.
        let granted = function.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, i32::try_from(asked)?);
        return granted.map(|()| needed).map_err(|error| {
            let message =
                format!("a block of the kernel takes {needed} bytes of shared memory; this device refuses: {error}");
            LabError::limit(message, "choose another --variant").into()
        });
    }
    if needed <= most {
        return Ok(needed);
    }
    Err(LabError::limit(
        format!("the kernel declares {needed} bytes of shared memory; a block on this device may have {most}"),
        "choose a smaller --edge, or f32",
    )
    .into())
}
