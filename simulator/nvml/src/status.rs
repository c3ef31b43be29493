//! Results: their numbers and words, and what each exported function goes through.
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A result that is not 0, by the interface's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure(pub u32);

/// The outcome of a function, or the reason for its failure.
pub type Outcome<T = ()> = Result<T, Failure>;

macro_rules! failures {
    ($($name:ident = $number:literal $words:literal)*) => {
        $(#[doc = "By the interface's number."] pub const $name: Failure = Failure($number);)*
        /// `nvmlErrorString`
        pub fn words(code: u32) -> *const c_char {
            let words: &CStr = match code {
                0 => c"Success",
                $($number => $words,)*
                _ => c"Unknown Error",
            };
            words.as_ptr()
        }
    };
}

failures! {
    UNINITIALIZED = 1 c"Uninitialized"
    INVALID_ARGUMENT = 2 c"Invalid Argument"
    NOT_SUPPORTED = 3 c"Not Supported"
    NOT_FOUND = 6 c"Not Found"
    INSUFFICIENT_SIZE = 7 c"Insufficient Size"
    DRIVER_NOT_LOADED = 9 c"Driver Not Loaded"
    ARGUMENT_VERSION_MISMATCH = 25 c"Argument version mismatch"
    UNKNOWN = 999 c"Unknown Error"
}

/// Runs the implementation of an exported function; a panic stays inside.
pub fn call(body: &mut dyn FnMut() -> Outcome) -> u32 {
    match catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(UNKNOWN)) {
        Ok(()) => 0,
        Err(Failure(code)) => code,
    }
}
