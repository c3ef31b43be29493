//! Results that are not success, and how something that is not there is refused.
use crate::driver::loaded;
use std::collections::BTreeSet;
use std::ffi::{CString, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

/// Why a call did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A handle that was never made, or is gone.
    NotInitialized,
    /// No memory on the device.
    Memory,
    /// An argument that the interface excludes.
    Invalid,
    /// The driver, by its result.
    Driver(u32),
    /// A result that one library alone has, by its number.
    Own(c_int),
    /// A part of the interface that this library lacks, in words that follow the function's name.
    Lacking(String),
}

/// Success, or the failure.
pub type Outcome = Result<(), Failure>;

/// A method for each library, which numbers failures as it does: a handle, memory, an argument, the driver, and what is not supported.
macro_rules! numbered {
    ($($(#[$words:meta])* $name:ident $numbers:expr;)*) => {
        impl Failure { $(
            $(#[$words])*
            pub fn $name(&self) -> c_int {
                let [handle, memory, argument, driver, lacking] = $numbers;
                match self {
                    Failure::NotInitialized => handle,
                    Failure::Memory => memory,
                    Failure::Invalid => argument,
                    Failure::Driver(_) => driver,
                    Failure::Lacking(_) => lacking,
                    Failure::Own(number) => *number,
                }
            }
        )* }
    };
}

numbered! {
    /// The number that cuBLAS has for it.
    of_cublas [1, 3, 7, 13, 15];
    /// The number that cuRAND has for it. Its interface has no word for what is not supported; "type error" is the nearest.
    of_curand [101, 102, 104, 201, 103];
    /// The number that cuFFT has for it.
    of_cufft [1, 2, 4, 6, 16];
    /// The number that cuSOLVER has for it.
    of_cusolver [1, 2, 3, 6, 9];
    /// The number that cuSPARSE has for it.
    of_cusparse [1, 2, 3, 6, 10];
}

/// Runs the implementation of the function of that name; a panic stays inside.
pub fn call(name: &str, number: fn(&Failure) -> c_int, body: impl FnOnce() -> Outcome) -> c_int {
    let done = catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(Failure::Driver(999)));
    let Err(failure) = done else { return 0 };
    if let Failure::Lacking(what) = &failure {
        refuse(name, what);
    }
    number(&failure)
}

/// Exports functions; the last word is the method that numbers their failures.
macro_rules! exports {
    ($($name:ident($($argument:ident: $kind:ty),*) => $body:expr;)*; $number:ident) => { $(
        /// As the interface defines it.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "the interface's names and arguments")]
        pub unsafe extern "C" fn $name($($argument: $kind),*) -> c_int {
            // SAFETY: the caller keeps the promises that the interface asks of it; what can be checked is checked.
            #[allow(unused_unsafe, reason = "some need none")]
            $crate::failure::call(stringify!($name), Failure::$number, || unsafe { $body })
        }
    )* };
}
pub(crate) use exports;

/// Exports functions that are refused; the last word is the method that numbers the refusal.
macro_rules! absent {
    ($($name:ident)*; $number:ident) => { $(
        /// Not implemented.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> std::ffi::c_int {
            $crate::failure::refused(stringify!($name), $crate::failure::Failure::$number)
        }
    )* };
}

#[allow(non_snake_case, reason = "the interface's names")]
mod without {
    cuda::without_cublas!(absent; of_cublas);
    cuda::without_cublas_lt!(absent; of_cublas);
    cuda::without_curand!(absent; of_curand);
    cuda::without_cufft!(absent; of_cufft);
    cuda::without_cusolver!(absent; of_cusolver);
    cuda::without_cusparse!(absent; of_cusparse);
}

/// Refuses the function of that name.
pub(crate) fn refused(name: &str, number: fn(&Failure) -> c_int) -> c_int {
    call(name, number, || Err(Failure::Lacking(String::new())))
}

/// Says once on standard error that a function of the interface, or a choice of its arguments, is not there.
fn refuse(name: &str, what: &str) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let name = if what.is_empty() { name.to_owned() } else { format!("{name} {what}") };
    if TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone()) {
        eprintln!("[math] {name} has no implementation in this library; it answers \"not supported\"");
        // A driver that is not the simulator has no such function, and its programs no such exit code.
        if let (Some(driver), Ok(name)) = (loaded(), CString::new(name)) {
            // SAFETY: a text that ends in NUL.
            let _ = unsafe { driver.labs_sim_refuse(name.as_ptr()) };
        }
    }
}
