//! Names of the interface that have no implementation: each is exported, so that a program which looks it up
//! finds it, and answers "not supported". The names are in [`super::exports`].
use crate::abi::surface;
use crate::interface::Cause;
use cuda::CUresult;

/// Names that have no implementation; after a semicolon what refuses them otherwise than by "not supported", where a card's driver answers that.
macro_rules! absent {
    ($($name:ident)*; $refuse:path) => {
        $(
            /// Not implemented. The caller's arguments are left alone: the C convention lets the caller clear them away.
            #[unsafe(no_mangle)]
            pub extern "C" fn $name() -> cuda::CUresult {
                $refuse(stringify!($name))
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
    ($($name:ident)*) => {
        $crate::abi::absent::absent! { $($name)*; $crate::abi::absent::refuse }
    };
}

pub fn refuse(name: &'static str) -> CUresult {
    surface::call(name, &mut || Err(Cause::NotModelled(name)))
}

pub(crate) use absent;
