//! Launching a rung: its kernel found, checked against the device's limits, and given its arguments.

use crate::data::{Contender, Launch};
use crate::plan::Case;
use common::LabError;
use common::device::Device;
use common::element::Element;
use common::recorder;
use cudarc::driver::sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig, PushKernelArg};
use kernels::Source;
use serde_json::Value;

/// A case as a contender, with a kernel from `source`. Errors: a kernel that does not compile, or asks for more than a block may have.
pub fn contender<'a, T: Element>(
    device: &'a Device,
    source: &Source,
    case: &'a Case,
) -> anyhow::Result<Contender<'a, T>> {
    let Case { variant, edge, problem } = case;
    let function = device.kernel(source, &case.symbol())?;
    // A kibibyte is left for what the kernels declare.
    let most_shared = device.limits()?.shared_bytes_per_block_optin.saturating_sub(1024);
    let config = variant.rung.launch_config(problem.extents, *edge, most_shared);
    let shared_bytes = check_shared_memory(device, &function, config.shared_mem_bytes)?;
    let cgma = variant.rung.cgma_of(*edge, problem.extents);
    let figures = [("edge", Value::from(*edge)), ("cgma", cgma.into()), ("shared_bytes", shared_bytes.into())];
    let launch: Launch<'a, T> = Box::new(move |c, a, b| launch(device, case, config, &function, c, a, b));
    Ok(Contender {
        variant: variant.name,
        label: case.label(),
        block: case.block(),
        problem,
        figures: figures.map(|(key, value)| (key.to_owned(), value)).into_iter().collect(),
        launch,
    })
}

#[allow(unsafe_code)]
fn launch<T: Element>(
    device: &Device,
    case: &Case,
    config: LaunchConfig,
    function: &CudaFunction,
    c: &mut CudaSlice<T>,
    a: &CudaSlice<T>,
    b: &CudaSlice<T>,
) -> anyhow::Result<()> {
    let [m, k, n] = case.problem.extents;
    // `Shape::extents` refuses what does not fit.
    let [m, k, n] = [m, k, n].map(|extent| extent as i32);
    let mut builder = device.stream.launch_builder(function);
    // The kernels' order: m, n, k.
    builder.arg(c).arg(a).arg(b).arg(&m).arg(&n).arg(&k);
    // SAFETY: the rungs' signature is (T *c, const T *a, const T *b, int m, int n, int k), and the slices hold m·n, m·k and k·n elements.
    unsafe { recorder::launch(&device.stream, &case.symbol(), &mut builder, config) }?;
    Ok(())
}

/// The bytes of shared memory that a block takes: what the kernel declares, and what its launch asks for. More than a block may
/// have is refused before its launch.
fn check_shared_memory(device: &Device, function: &CudaFunction, asked: u32) -> anyhow::Result<usize> {
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
