//! The type of each function of the table as the driver implements it: the C arguments, and a cause in place of a number.
#![allow(
    non_camel_case_types,
    dead_code,
    reason = "a type has the C name; only functions that another one does need their type"
)]
use crate::interface::Outcome;
use cuda::types::*;
use std::ffi::c_void;

macro_rules! signatures {
    ($($name:ident $arguments:tt $([$($other:ident $(: $stream:ident)?),*])? $($age:ident)?;)*) => {
        $(signature! { $name $arguments })*
    };
}
macro_rules! signature {
    ($name:ident ($($argument:ident: $type:ty),*)) => { pub type $name = unsafe fn($($type),*) -> Outcome; };
}
cuda::functions!(signatures);

/// Functions of the table that another function does, with other arguments. Types of arguments come from the table.
macro_rules! forward {
    ($($name:ident($($argument:tt),*) => $body:expr;)*) => {
        $(
            // SAFETY: the caller of each function keeps the promises that the interface asks of it, and they go on.
            #[allow(non_upper_case_globals, unused_unsafe, clippy::macro_metavars_in_unsafe)]
            pub const $name: $crate::interface::signatures::$name = |$($argument),*| unsafe { $body };
        )*
    };
}
pub(crate) use forward;
