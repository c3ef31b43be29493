//! Results: their numbers, names and words, and what each exported function goes through.
//!
//! A result of the driver's is passed on as it is: its number means the same here.
use cuda::result::runtime_words;
use std::cell::Cell;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A result that is not 0, by the interface's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure(pub u32);

/// Success, or the result that is not 0.
pub type Outcome = Result<(), Failure>;

macro_rules! failures {
    ($($name:ident = $number:literal)*) => { $(#[doc = "By the interface's number."] pub const $name: Failure = Failure($number);)* };
}
failures! {
    INVALID_VALUE = 1
    INITIALIZATION = 3
    INVALID_CONFIGURATION = 9
    INVALID_SYMBOL = 13
    INVALID_DIRECTION = 21
    INSUFFICIENT_DRIVER = 35
    MISSING_CONFIGURATION = 52
    INVALID_DEVICE_FUNCTION = 98
    NO_DEVICE = 100
    INVALID_DEVICE = 101
    SYMBOL_NOT_FOUND = 500
    NOT_READY = 600
    NOT_SUPPORTED = 801
    UNKNOWN = 999
}

thread_local! {
    static LAST: Cell<u32> = const { Cell::new(0) };
}

/// Runs the implementation of an exported function; a failure is the thread's last error, and a panic stays inside. That something is not
/// ready yet is an answer and no error: NVIDIA's library does not keep it either, and programs that ask for the last error after a
/// question to an event rely on that.
pub fn call(body: &mut dyn FnMut() -> Outcome) -> u32 {
    match catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(UNKNOWN)) {
        Ok(()) => 0,
        Err(failure) => {
            if failure != NOT_READY {
                LAST.set(failure.0);
            }
            failure.0
        }
    }
}

/// `cudaGetLastError`, `cudaPeekAtLastError`: the first also forgets it.
pub fn last_error(forget: bool) -> u32 {
    if forget { LAST.replace(0) } else { LAST.get() }
}

/// Name and words of a number that is no result.
const UNKNOWN_CODE: &CStr = c"unrecognized error code";

/// The name of a result.
pub fn name(code: u32) -> *const c_char {
    runtime_words(code).map_or(UNKNOWN_CODE, |(name, _)| name).as_ptr()
}

/// The standing words of a result.
pub fn words(code: u32) -> *const c_char {
    runtime_words(code).map_or(UNKNOWN_CODE, |(_, words)| words).as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_ready_is_no_error() {
        assert_eq!(call(&mut || Err(NOT_READY)), 600);
        assert_eq!(last_error(false), 0);
        assert_eq!(call(&mut || Err(INVALID_VALUE)), 1);
        assert_eq!(call(&mut || Err(NOT_READY)), 600);
        assert_eq!((last_error(true), last_error(false)), (1, 0));
    }
}
