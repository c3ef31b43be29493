//! CUDA's C interface, once: structs, callbacks and results of the driver, and [one table](functions!) of its functions.
//!
//! The driver exports the functions of the table, the runtime library calls a driver through them, and a test compares them with
//! those that cudarc declares for the headers of CUDA 12.9. `functions!` hands the rows to a macro, which makes of them whatever its
//! crate needs, so that a name and its arguments are written nowhere else.
//!
//! Nothing here allocates or loads a library.
#![no_std]
#![allow(unsafe_code)]

// A macro for each table: `functions!`, `results!`, and `without_…!` for the names of each library that have no implementation.
include!(concat!(env!("OUT_DIR"), "/tables.rs"));

/// Returns the error from the function where the condition holds.
#[macro_export]
macro_rules! refuse_if {
    ($condition:expr, $error:expr) => {
        if $condition {
            return Err($error);
        }
    };
}

/// Makes structs that lie in memory as C lays them. Fields of one type may share a row, as in C.
#[macro_export]
macro_rules! c_structs {
    ($($(#[$about:meta])* $vis:vis struct $name:ident {
        $($(#[$field_about:meta])* $field_vis:vis $($field:ident),+: $ty:ty;)*
    })*) => { $(
        $(#[$about])*
        #[repr(C)]
        $vis struct $name { $($(#[$field_about])* $($field_vis $field: $ty,)+)* }
    )* };
}

/// Exports C functions whose answer is no result: a row has a function's name, its arguments, the answer's type and what answers.
#[macro_export]
macro_rules! c_functions {
    ($($name:ident($($argument:ident: $ty:ty),*) $(-> $answer:ty)? => $body:expr;)*) => { $(
        /// As NVIDIA's interface defines it.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, unused_unsafe, clippy::macro_metavars_in_unsafe, reason = "the interface's names; some need none")]
        pub unsafe extern "C" fn $name($($argument: $ty),*) $(-> $answer)? {
            // SAFETY: the caller keeps the promises that the interface asks of it; what can be checked is checked.
            unsafe { $body }
        }
    )* };
}

pub mod client;
pub mod extension;
pub mod layout;
pub mod pointers;
pub mod result;
#[cfg(test)]
mod tests;

pub use pointers::{out, out_if_wanted};
pub use result::CUresult;

/// The names that rows of [`functions!`] use: whoever calls it imports all of them.
pub mod types {
    pub use crate::layout::*;
    pub use core::ffi::{c_char, c_int, c_uint, c_void};
}
