//! Finding functions by name (`cuGetProcAddress`), and the version of the interface.
#![allow(non_snake_case, reason = "the interface's names")]
use crate::interface::{Cause, Outcome, forward, out, text};
use crate::state::{self, forked};
use std::ffi::{c_char, c_int, c_uint, c_void};

pub unsafe fn cuDriverGetVersion(version: *mut c_int) -> Outcome {
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("driverVersion", version, answered()) }
}

/// The version of the interface that is answered. Once the driver has started this takes no lock, since a child made by `fork` may ask.
fn answered() -> c_int {
    forked::interface().unwrap_or_else(|| state::lock().settings.interface)
}

/// The private interfaces that NVIDIA's runtime library asks for first, 12 and 13: without them it does not start.
const OF_THE_RUNTIME: [[u8; 16]; 2] = [
    0xf8cff951_21468b4e_b9e2fb46_9e7c0dd9_u128.to_be_bytes(),
    0x6bd5fb6c_5bf4e74a_8987d939_12fd9df9_u128.to_be_bytes(),
];

/// The private interface that cuFFT asks for before anything else: its plans fail without it, and it does not say why.
const OF_CUFFT: [u8; 16] = 0x21318c60_97143248_8ca641ff_7324c8f2_u128.to_be_bytes();

/// `cuGetExportTable`: private interfaces by number. NVIDIA's runtime library asks for some, and for a proof of origin by one
/// of them, which this driver cannot give. Others, such as its compiler, go on without theirs.
pub unsafe fn export_table(id: *const [u8; 16]) -> Outcome {
    // SAFETY: null, or the caller's number.
    let id = unsafe { id.as_ref() }.ok_or(Cause::Null("pExportTableId"))?;
    if *id == OF_CUFFT {
        return Err(Cause::NotModelled(
            "a private interface of NVIDIA's driver, which its mathematical libraries of machine code ask for (cuFFT): what they compute \
             fails, and so do programs that need it; kernels of the program's own run. The private interface",
        ));
    }
    refuse_if!(!OF_THE_RUNTIME.contains(id), Cause::NoSuchArgument("private interface of this driver"));
    Err(Cause::NotModelled(
        "the private interface of NVIDIA's driver, which its runtime library asks for where it is linked in and nothing has put this project's \
         in its place: calls of the runtime (`cuda…`) fail, calls of the driver (`cu…`) run. `sim` does that for what a loader opens, and with \
         LABS_SIM_LOG=1 says where it cannot and why; linked shared, by `nvcc -cudart shared`, it runs. The private interface",
    ))
}

/// Finds exported functions by their full names.
#[derive(Clone, Copy)]
pub struct Exported {
    /// Functions under the names of the table, and names without an implementation.
    pub address: fn(&str) -> Option<*const c_void>,
    /// Functions of the table under their other names.
    pub address_of_other: fn(&str) -> Option<*const c_void>,
}

/// `cuGetProcAddress_v2`: the newest variant of a name that was known in `version`. An unknown name is no failure: it is
/// answered with null and a status.
pub unsafe fn proc_address(
    exported: Exported,
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    flags: u64,
    status: *mut c_uint,
) -> Outcome {
    // SAFETY: the caller's pointer, as the interface defines it.
    let name = unsafe { text("symbol", symbol)? };
    // 0 the default, 1 the legacy default stream, 2 the thread's.
    refuse_if!(flags > 2, Cause::NoSuchValue("flags", flags as i64));
    let (found, answer) = match resolve(exported, &name, version) {
        Some(plain) => (
            per_thread(exported, &plain).filter(|_| flags == PER_THREAD_STREAM).or_else(|| (exported.address)(&plain)),
            0,
        ),
        None => (None, if resolve(exported, &name, answered()).is_some() { VERSION_NOT_SUFFICIENT } else { NOT_FOUND }),
    };
    // SAFETY: the caller's pointers; the second may be null.
    unsafe {
        out("pfn", function, found.unwrap_or(std::ptr::null()).cast_mut())?;
        if !status.is_null() {
            out("symbolStatus", status, answer)?;
        }
    }
    Ok(())
}

/// `CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM`
const PER_THREAD_STREAM: u64 = 2;
const NOT_FOUND: c_uint = 1;
const VERSION_NOT_SUFFICIENT: c_uint = 2;

/// `cuGetProcAddress`, the version without a status: there an unknown name is a failure.
pub unsafe fn proc_address_v1(
    exported: Exported,
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    flags: u64,
) -> Outcome {
    let mut status = 0;
    // SAFETY: the caller gives pointers as the interface asks, and a place for the status.
    unsafe { proc_address(exported, symbol, function, version, flags, &mut status)? };
    if status == 0 {
        return Ok(());
    }
    // SAFETY: the caller's pointer, as the interface defines it.
    Err(Cause::NoFunction(unsafe { text("symbol", symbol)? }))
}

/// Variants that came late, each with its first version. All others are older than CUDA 11.
const LATE: &str = "cuCtxCreate_v3:11040 cuCtxCreate_v4:12050 cuCtxGetDevice_v2:13000 cuCtxSynchronize_v2:13000 cuDeviceGetUuid_v2:11040 \
    cuEventElapsedTime_v2:12080 cuGetProcAddress_v2:12000 cuGraphAddDependencies_v2:12030 cuGraphAddKernelNode_v2:12000 \
    cuGraphAddNode_v2:12030 cuGraphExecKernelNodeSetParams_v2:12000 cuGraphExecUpdate_v2:12000 cuGraphGetEdges_v2:12030 \
    cuGraphKernelNodeGetParams_v2:12000 cuGraphKernelNodeSetParams_v2:12000 cuGraphNodeGetDependencies_v2:12030 \
    cuGraphNodeGetDependentNodes_v2:12030 cuGraphRemoveDependencies_v2:12030 cuLaunchHostFunc_v2:13020 \
    cuMemAdvise_v2:12020 cuMemPrefetchAsync_v2:12020 cuMemcpy3DBatchAsync_v2:13000 cuMemcpyBatchAsync_v2:13000 \
    cuStreamGetCaptureInfo_v2:11030 cuStreamGetCaptureInfo_v3:12030 cuStreamGetCtx_v2:12050 \
    cuStreamUpdateCaptureDependencies_v2:12030 cuStreamBatchMemOp_v2:11070 cuStreamWaitValue32_v2:11070 \
    cuStreamWaitValue64_v2:11070 cuStreamWriteValue32_v2:11070 cuStreamWriteValue64_v2:11070";

/// The variant of an exported function whose default stream is the thread's.
fn per_thread(exported: Exported, name: &str) -> Option<*const c_void> {
    ["_ptsz", "_ptds"].iter().find_map(|suffix| (exported.address_of_other)(&format!("{name}{suffix}")))
}

/// The exported name of a function as it was in `version`.
fn resolve(exported: Exported, name: &str, version: c_int) -> Option<String> {
    let is_there = |name: String| (exported.address)(&name).is_some().then_some(name);
    let of_name = |(variant, _): &(&str, &str)| variant.rsplit_once('_').is_some_and(|(plain, _)| plain == name);
    let late = LATE.split(' ').filter_map(|row| row.split_once(':')).filter(of_name);
    let late: Vec<(&str, c_int)> = late.filter_map(|(variant, since)| Some((variant, since.parse().ok()?))).collect();
    if let Some((variant, _)) = late.iter().rfind(|(_, since)| *since <= version) {
        return is_there((*variant).to_owned());
    }
    let old = [format!("{name}_v2"), name.to_owned()];
    old.into_iter().filter(|old| late.iter().all(|(variant, _)| variant != old)).find_map(is_there)
}

forward! {
    cuGetExportTable(_, id) => export_table(id);
}
