//! Shared by all calls: the default streams, and places for answers.
use crate::driver::Raw;
use crate::status::{INVALID_VALUE, Outcome};
pub use cuda::out_if_wanted;

/// The default stream of a thread, by the driver's number.
pub const PER_THREAD: Raw = 2 as Raw;

/// The stream of a program that was compiled for default streams of threads.
pub fn per_thread(stream: Raw) -> Raw {
    if stream.is_null() { PER_THREAD } else { stream }
}

/// Writes an answer where the caller wants it.
///
/// # Safety
/// `to` is null or the caller's place for a `T`.
pub unsafe fn out<T>(to: *mut T, value: T) -> Outcome {
    // SAFETY: the pointer is as this function's caller has to give it.
    unsafe { cuda::out(to, value, INVALID_VALUE) }
}
