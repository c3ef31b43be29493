//! Words for results: `cuGetErrorName`, `cuGetErrorString`.
use crate::interface::{Cause, Outcome, failure, out};
use cuda::result::driver_words;
use std::ffi::{c_char, c_uint};

pub unsafe fn cuGetErrorName(error: c_uint, name: *mut *const c_char) -> Outcome {
    let found = driver_words(error);
    // SAFETY: the caller's pointer, as the interface defines it: null for an unknown code.
    unsafe { out("pStr", name, found.map_or(std::ptr::null(), |found| found.0.as_ptr()))? };
    found.map(|_| ()).ok_or(Cause::NoSuchValue("error", error.into()))
}

/// The whole diagnosis of this thread's last failure, if that is what is asked about.
pub unsafe fn cuGetErrorString(error: c_uint, words: *mut *const c_char) -> Outcome {
    let found = driver_words(error).ok_or(Cause::NoSuchValue("error", error.into()));
    match found {
        Ok(found) => unsafe { out("pStr", words, failure::last_text(error).unwrap_or(found.1.as_ptr())) },
        Err(cause) => {
            if !words.is_null() {
                // SAFETY: not null; the interface promises null for an unknown code.
                unsafe { words.write_unaligned(std::ptr::null()) };
            }
            Err(cause)
        }
    }
}
