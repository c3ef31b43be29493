//! What becomes of a name of the interface that has no implementation: it is exported, so that a program which looks it up
//! finds it, answers "not supported" and, with `LABS_SIM_LOG` set, says its name once. The names are in [`super::table`].
use crate::driver::abi::surface;
use crate::driver::interface::cause::Cause;
use crate::driver::interface::result::CUresult;
use std::sync::atomic::{AtomicBool, Ordering};

macro_rules! absent {
    ($($name:ident)*) => {
        $(
            /// Not implemented. The caller's arguments are left alone: the C convention lets the caller clear them away.
            #[unsafe(no_mangle)]
            pub extern "C" fn $name() -> $crate::driver::interface::result::CUresult {
                static TOLD: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
                $crate::driver::abi::absent::refuse(stringify!($name), &TOLD)
            }
        )*
        /// These names.
        #[cfg(test)]
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];
        /// The function of such a name.
        pub fn address(name: &str) -> Option<*const std::ffi::c_void> {
            match name {
                $(stringify!($name) => Some($name as *const std::ffi::c_void),)*
                _ => None,
            }
        }
    };
}

pub fn refuse(name: &'static str, told: &AtomicBool) -> CUresult {
    if surface::logging() && !told.swap(true, Ordering::Relaxed) {
        eprintln!("[simulator] {name} is not implemented");
    }
    surface::call(name, &mut || Err(Cause::NotModelled(name)))
}

pub(crate) use absent;
