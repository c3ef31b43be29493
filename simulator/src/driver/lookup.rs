//! Finding functions by name (`cuGetProcAddress`), words for results, and the caller's pointers.
use super::cause::Cause;
use super::{surface, table};
use cudarc::driver::sys::CUresult;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// Writes a result to the caller's pointer.
///
/// # Safety
/// `pointer` is null, or may be written as a `T`.
pub unsafe fn out<T>(name: &'static str, pointer: *mut T, value: T) -> Result<(), Cause> {
    if pointer.is_null() {
        return Err(Cause::Null(name));
    }
    // SAFETY: not null, and the caller vouches for the rest. C callers need not align.
    unsafe { pointer.write_unaligned(value) };
    Ok(())
}

/// Reads the caller's text.
///
/// # Safety
/// `pointer` is null, or points to a NUL-terminated text.
pub unsafe fn text(name: &'static str, pointer: *const c_char) -> Result<String, Cause> {
    if pointer.is_null() {
        return Err(Cause::Null(name));
    }
    // SAFETY: not null, and the caller vouches for the rest.
    Ok(unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}

/// Copies a text into the caller's buffer of `room` bytes, cut where it does not fit.
///
/// # Safety
/// `buffer` is null, or has room for `room` bytes.
pub unsafe fn out_text(name: &'static str, buffer: *mut c_char, room: c_int, value: &str) -> Result<(), Cause> {
    if buffer.is_null() {
        return Err(Cause::Null(name));
    }
    let room = usize::try_from(room).ok().filter(|&room| room > 0).ok_or(Cause::NoSuchValue("len", room.into()))?;
    let fits = value.len().min(room - 1);
    // SAFETY: `fits` and one more are within the caller's room.
    unsafe {
        buffer.cast::<u8>().copy_from_nonoverlapping(value.as_ptr(), fits);
        buffer.add(fits).write(0);
    }
    Ok(())
}

/// `cuGetErrorName`
pub unsafe fn error_name(error: c_uint, name: *mut *const c_char) -> Result<(), Cause> {
    let found = result_words(error).ok_or(Cause::NoSuchValue("error", error.into()))?;
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("pStr", name, found.0.as_ptr()) }
}

/// `cuGetErrorString`: the whole diagnosis of this thread's last failure, if that is what is asked about.
pub unsafe fn error_string(error: c_uint, words: *mut *const c_char) -> Result<(), Cause> {
    let found = result_words(error).ok_or(Cause::NoSuchValue("error", error.into()));
    match found {
        // SAFETY: the caller's pointer, as the interface defines it.
        Ok(found) => unsafe { out("pStr", words, surface::last_text(error).unwrap_or(found.1.as_ptr())) },
        Err(cause) => {
            if !words.is_null() {
                // SAFETY: not null; the interface promises null for an unknown code.
                unsafe { words.write_unaligned(std::ptr::null()) };
            }
            Err(cause)
        }
    }
}

/// `cuDriverGetVersion`
pub unsafe fn driver_version(version: *mut c_int) -> Result<(), Cause> {
    // SAFETY: the caller's pointer, as the interface defines it.
    unsafe { out("driverVersion", version, VERSION) }
}

/// The interface that is answered: CUDA 12.9, the newest whose compiler knows all simulated cards from Maxwell on.
pub const VERSION: c_int = 12090;

/// `cuGetProcAddress_v2`: the newest variant of a name that was known in `version`.
pub unsafe fn proc_address(
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    _flags: u64,
    status: *mut c_uint,
) -> Result<(), Cause> {
    // SAFETY: the caller's pointer, as the interface defines it.
    let name = unsafe { text("symbol", symbol)? };
    if function.is_null() {
        return Err(Cause::Null("pfn"));
    }
    let found = resolve(&name, version);
    // 1 is CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND. The call itself succeeds, as the real one's second version does not.
    if !status.is_null() {
        // SAFETY: not null; the caller's pointer.
        unsafe { status.write_unaligned(u32::from(found.is_none())) };
    }
    // SAFETY: not null; the caller's pointer.
    unsafe { function.write_unaligned(found.unwrap_or(std::ptr::null()).cast_mut()) };
    match found {
        Some(_) => Ok(()),
        None => Err(Cause::NoFunction(name)),
    }
}

/// `cuGetProcAddress`, the version without a status.
pub unsafe fn proc_address_v1(
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    flags: u64,
) -> Result<(), Cause> {
    // SAFETY: the caller's promise goes on.
    unsafe { proc_address(symbol, function, version, flags, std::ptr::null_mut()) }
}

/// Names whose newer variant came late: (plain name, suffix, first version). All other variants are older than CUDA 11.
const LATE: &[(&str, &str, c_int)] = &[
    ("cuCtxCreate", "_v3", 11040),
    ("cuCtxCreate", "_v4", 12050),
    ("cuCtxGetDevice", "_v2", 13000),
    ("cuCtxSynchronize", "_v2", 13000),
    ("cuDeviceGetUuid", "_v2", 11040),
    ("cuEventElapsedTime", "_v2", 12080),
    ("cuGetProcAddress", "_v2", 12000),
    ("cuGraphAddDependencies", "_v2", 12030),
    ("cuGraphAddKernelNode", "_v2", 12000),
    ("cuGraphAddNode", "_v2", 12030),
    ("cuGraphExecKernelNodeSetParams", "_v2", 12000),
    ("cuGraphExecUpdate", "_v2", 12000),
    ("cuGraphGetEdges", "_v2", 12030),
    ("cuGraphInstantiate", "WithFlags", 11040),
    ("cuGraphKernelNodeGetParams", "_v2", 12000),
    ("cuGraphKernelNodeSetParams", "_v2", 12000),
    ("cuGraphNodeGetDependencies", "_v2", 12030),
    ("cuGraphNodeGetDependentNodes", "_v2", 12030),
    ("cuGraphRemoveDependencies", "_v2", 12030),
    ("cuMemAdvise", "_v2", 12020),
    ("cuMemPrefetchAsync", "_v2", 12020),
    ("cuStreamGetCaptureInfo", "_v2", 11030),
    ("cuStreamGetCaptureInfo", "_v3", 12030),
    ("cuStreamUpdateCaptureDependencies", "_v2", 12030),
    ("cuStreamBatchMemOp", "_v2", 11070),
    ("cuStreamWaitValue32", "_v2", 11070),
    ("cuStreamWaitValue64", "_v2", 11070),
    ("cuStreamWriteValue32", "_v2", 11070),
    ("cuStreamWriteValue64", "_v2", 11070),
];

fn resolve(name: &str, version: c_int) -> Option<*const c_void> {
    let late = LATE.iter().rfind(|(plain, _, since)| *plain == name && *since <= version);
    if let Some((_, suffix, _)) = late {
        return table::address(&format!("{name}{suffix}"));
    }
    if LATE.iter().any(|(plain, ..)| *plain == name) {
        return table::address(name);
    }
    ["_v4", "_v3", "_v2", ""].iter().find_map(|suffix| table::address(&format!("{name}{suffix}")))
}

/// Name and standing text of a result; `None` for a number that the interface does not define.
fn result_words(code: u32) -> Option<(&'static CStr, &'static CStr)> {
    RESULTS.iter().find(|(result, ..)| *result as u32 == code).map(|&(_, name, words)| (name, words))
}

macro_rules! results {
    ($($name:ident $words:literal)*) => {
        /// Every result, its name, and what it means.
        static RESULTS: &[(CUresult, &CStr, &CStr)] = &[$((CUresult::$name, name_of(concat!(stringify!($name), "\0")), name_of(concat!($words, "\0")))),*];
    };
}

const fn name_of(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the macro ends every text with NUL"),
    }
}

results! {
    CUDA_SUCCESS "no error"
    CUDA_ERROR_INVALID_VALUE "invalid argument"
    CUDA_ERROR_OUT_OF_MEMORY "out of memory"
    CUDA_ERROR_NOT_INITIALIZED "initialization error"
    CUDA_ERROR_DEINITIALIZED "driver shutting down"
    CUDA_ERROR_PROFILER_DISABLED "profiler disabled while using external profiling tool"
    CUDA_ERROR_PROFILER_NOT_INITIALIZED "profiler not initialized"
    CUDA_ERROR_PROFILER_ALREADY_STARTED "profiler already started"
    CUDA_ERROR_PROFILER_ALREADY_STOPPED "profiler already stopped"
    CUDA_ERROR_STUB_LIBRARY "the loaded libcuda is a stub"
    CUDA_ERROR_DEVICE_UNAVAILABLE "device busy or unavailable"
    CUDA_ERROR_NO_DEVICE "no CUDA-capable device is detected"
    CUDA_ERROR_INVALID_DEVICE "invalid device ordinal"
    CUDA_ERROR_DEVICE_NOT_LICENSED "device not licensed"
    CUDA_ERROR_INVALID_IMAGE "device kernel image is invalid"
    CUDA_ERROR_INVALID_CONTEXT "invalid device context"
    CUDA_ERROR_CONTEXT_ALREADY_CURRENT "context already current"
    CUDA_ERROR_MAP_FAILED "mapping of buffer object failed"
    CUDA_ERROR_UNMAP_FAILED "unmapping of buffer object failed"
    CUDA_ERROR_ARRAY_IS_MAPPED "array is mapped"
    CUDA_ERROR_ALREADY_MAPPED "resource already mapped"
    CUDA_ERROR_NO_BINARY_FOR_GPU "no kernel image is available for execution on the device"
    CUDA_ERROR_ALREADY_ACQUIRED "resource already acquired"
    CUDA_ERROR_NOT_MAPPED "resource not mapped"
    CUDA_ERROR_NOT_MAPPED_AS_ARRAY "resource not mapped as array"
    CUDA_ERROR_NOT_MAPPED_AS_POINTER "resource not mapped as pointer"
    CUDA_ERROR_ECC_UNCORRECTABLE "uncorrectable ECC error encountered"
    CUDA_ERROR_UNSUPPORTED_LIMIT "limit is not supported on this architecture"
    CUDA_ERROR_CONTEXT_ALREADY_IN_USE "exclusive-thread device already in use by a different thread"
    CUDA_ERROR_PEER_ACCESS_UNSUPPORTED "peer access is not supported between these two devices"
    CUDA_ERROR_INVALID_PTX "a PTX JIT compilation failed"
    CUDA_ERROR_INVALID_GRAPHICS_CONTEXT "invalid OpenGL or DirectX context"
    CUDA_ERROR_NVLINK_UNCORRECTABLE "uncorrectable NVLink error detected during the execution"
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND "PTX JIT compiler library not found"
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION "the provided PTX was compiled with an unsupported toolchain"
    CUDA_ERROR_JIT_COMPILATION_DISABLED "PTX JIT compilation was disabled"
    CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY "the provided execution affinity is not supported"
    CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC "the provided PTX contains unsupported call to cudaDeviceSynchronize"
    CUDA_ERROR_INVALID_SOURCE "device kernel image is invalid"
    CUDA_ERROR_FILE_NOT_FOUND "file not found"
    CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND "shared object symbol not found"
    CUDA_ERROR_SHARED_OBJECT_INIT_FAILED "shared object initialization failed"
    CUDA_ERROR_OPERATING_SYSTEM "OS call failed or operation not supported on this OS"
    CUDA_ERROR_INVALID_HANDLE "invalid resource handle"
    CUDA_ERROR_ILLEGAL_STATE "the operation cannot be performed in the present state"
    CUDA_ERROR_NOT_FOUND "named symbol not found"
    CUDA_ERROR_NOT_READY "device not ready"
    CUDA_ERROR_ILLEGAL_ADDRESS "an illegal memory access was encountered"
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES "too many resources requested for launch"
    CUDA_ERROR_LAUNCH_TIMEOUT "the launch timed out and was terminated"
    CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING "launch with incompatible texturing mode"
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED "peer access is already enabled"
    CUDA_ERROR_PEER_ACCESS_NOT_ENABLED "peer access has not been enabled"
    CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE "cannot set while device is active in this process"
    CUDA_ERROR_CONTEXT_IS_DESTROYED "context is destroyed"
    CUDA_ERROR_ASSERT "device-side assert triggered"
    CUDA_ERROR_TOO_MANY_PEERS "peer mapping resources exhausted"
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED "part or all of the requested memory range is already mapped"
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED "pointer does not correspond to a registered memory region"
    CUDA_ERROR_HARDWARE_STACK_ERROR "hardware stack error"
    CUDA_ERROR_ILLEGAL_INSTRUCTION "an illegal instruction was encountered"
    CUDA_ERROR_MISALIGNED_ADDRESS "misaligned address"
    CUDA_ERROR_INVALID_ADDRESS_SPACE "operation not supported on global/shared address space"
    CUDA_ERROR_INVALID_PC "invalid program counter"
    CUDA_ERROR_LAUNCH_FAILED "unspecified launch failure"
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE "too many blocks in cooperative launch"
    CUDA_ERROR_NOT_PERMITTED "operation not permitted"
    CUDA_ERROR_NOT_SUPPORTED "operation not supported"
    CUDA_ERROR_SYSTEM_NOT_READY "system not yet initialized"
    CUDA_ERROR_SYSTEM_DRIVER_MISMATCH "system has unsupported display driver / cuda driver combination"
    CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE "forward compatibility was attempted on non supported HW"
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED "operation not permitted when stream is capturing"
    CUDA_ERROR_STREAM_CAPTURE_INVALIDATED "operation failed due to a previous error during capture"
    CUDA_ERROR_STREAM_CAPTURE_MERGE "operation would result in a merge of separate capture sequences"
    CUDA_ERROR_STREAM_CAPTURE_UNMATCHED "capture was not ended in the same stream as it began"
    CUDA_ERROR_STREAM_CAPTURE_UNJOINED "capturing stream has unjoined work"
    CUDA_ERROR_STREAM_CAPTURE_ISOLATION "dependency created on uncaptured work in another stream"
    CUDA_ERROR_STREAM_CAPTURE_IMPLICIT "operation would make the legacy stream depend on a capturing blocking stream"
    CUDA_ERROR_CAPTURED_EVENT "operation not permitted on an event last recorded in a capturing stream"
    CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD "attempt to terminate a thread-local capture sequence from another thread"
    CUDA_ERROR_TIMEOUT "wait operation timed out"
    CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"
    CUDA_ERROR_EXTERNAL_DEVICE "an async error has occurred in external entity outside of CUDA"
    CUDA_ERROR_INVALID_CLUSTER_SIZE "a kernel launch error has occurred due to cluster misconfiguration"
    CUDA_ERROR_UNKNOWN "unknown error"
}
