//! The pointers of callers: read, written, and refused where they are null.
use crate::interface::{Cause, Outcome};
pub use cuda::out_if_wanted;
use std::ffi::{CStr, c_char, c_int};

/// Writes a result to the caller's pointer.
///
/// # Safety
/// `pointer` is null, or may be written as a `T`.
pub unsafe fn out<T>(name: &'static str, pointer: *mut T, value: T) -> Outcome {
    // SAFETY: the pointer is as this function's caller has to give it.
    unsafe { cuda::out(pointer, value, Cause::Null(name)) }
}

/// Reads the caller's text.
///
/// # Safety
/// `pointer` is null, or points to a NUL-terminated text.
pub unsafe fn text(name: &'static str, pointer: *const c_char) -> Result<String, Cause> {
    refuse_if!(pointer.is_null(), Cause::Null(name));
    // SAFETY: not null, and the caller vouches for the rest.
    Ok(unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}

/// Copies a text into the caller's buffer of `room` bytes, cut where it does not fit.
///
/// # Safety
/// `buffer` is null, or has room for `room` bytes.
pub unsafe fn out_text(name: &'static str, buffer: *mut c_char, room: c_int, value: &str) -> Outcome {
    refuse_if!(buffer.is_null(), Cause::Null(name));
    let room = usize::try_from(room).ok().filter(|&room| room > 0).ok_or(Cause::NoSuchValue("len", room.into()))?;
    let fits = value.len().min(room - 1);
    // SAFETY: `fits` and one more are within the caller's room.
    unsafe {
        buffer.cast::<u8>().copy_from_nonoverlapping(value.as_ptr(), fits);
        buffer.add(fits).write(0);
    }
    Ok(())
}
