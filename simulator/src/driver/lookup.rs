//! Finding functions by name (`cuGetProcAddress`), words for results, and the caller's pointers.
use super::cause::Cause;
use super::result::result_words;
use super::{surface, table};
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
    let found = result_words(error);
    // SAFETY: the caller's pointer, as the interface defines it: null for an unknown code.
    unsafe { out("pStr", name, found.map_or(std::ptr::null(), |found| found.0.as_ptr()))? };
    found.map(|_| ()).ok_or(Cause::NoSuchValue("error", error.into()))
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

/// `cuGetProcAddress_v2`: the newest variant of a name that was known in `version`. An unknown name is no failure: it is
/// answered with null and a status.
pub unsafe fn proc_address(
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    flags: u64,
    status: *mut c_uint,
) -> Result<(), Cause> {
    // SAFETY: the caller's pointer, as the interface defines it.
    let name = unsafe { text("symbol", symbol)? };
    // Default, legacy streams, per-thread streams: there are no variants for these.
    if flags > 2 {
        return Err(Cause::NoSuchValue("flags", flags as i64));
    }
    let (found, answer) = match resolve(&name, version) {
        Some(found) => (found, 0),
        None => (std::ptr::null(), if resolve(&name, VERSION).is_some() { VERSION_NOT_SUFFICIENT } else { NOT_FOUND }),
    };
    // SAFETY: the caller's pointers; the second may be null.
    unsafe {
        out("pfn", function, found.cast_mut())?;
        if !status.is_null() {
            out("symbolStatus", status, answer)?;
        }
    }
    Ok(())
}

const NOT_FOUND: c_uint = 1;
const VERSION_NOT_SUFFICIENT: c_uint = 2;

/// `cuGetProcAddress`, the version without a status: there an unknown name is a failure.
pub unsafe fn proc_address_v1(
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    flags: u64,
) -> Result<(), Cause> {
    let mut status = 0;
    // SAFETY: the caller's promise, and a place for the status.
    unsafe { proc_address(symbol, function, version, flags, &mut status)? };
    if status == 0 {
        return Ok(());
    }
    // SAFETY: the caller's pointer, as the interface defines it.
    Err(Cause::NoFunction(unsafe { text("symbol", symbol)? }))
}

/// Variants that came late: (plain name, suffix, first version). All others are older than CUDA 11.
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
    let late = || LATE.iter().filter(|(plain, ..)| *plain == name);
    if let Some((_, suffix, _)) = late().rfind(|(.., since)| *since <= version) {
        return table::address(&format!("{name}{suffix}"));
    }
    let old = ["_v2", ""].into_iter().filter(|old| late().all(|(_, suffix, _)| suffix != old));
    old.into_iter().find_map(|suffix| table::address(&format!("{name}{suffix}")))
}
