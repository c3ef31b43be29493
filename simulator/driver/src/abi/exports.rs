//! The exported functions: those of [`cuda::functions!`], under all of their names, and names that have no implementation.
//!
//! A function of the table is answered by the item of its name in `calls` (or, where it is about names, here in `abi`), which takes the same
//! arguments and answers a cause. Programs that load the driver while they run look up all names that their table has, and give up if one is
//! missing: FFmpeg asks for `cuLinkCreate` and `cuDevicePrimaryCtxRelease`, so older names are exported too.
#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]
use crate::abi::absent::absent;
use crate::abi::{graphics, lookup, refused, surface};
use crate::interface::PER_THREAD;
use cuda::CUresult;
use cuda::types::*;
use std::ffi::c_void;

/// The items that answer the functions of the table.
mod implementation {
    use super::{EXPORTED, lookup};
    pub use crate::abi::graphics::*;
    pub use crate::abi::lookup::*;
    pub use crate::calls::*;
    use crate::interface::Outcome;
    use cuda::types::{Raw, c_char, c_int, c_uint};

    pub unsafe fn cuGetProcAddress(symbol: *const c_char, function: *mut Raw, version: c_int, flags: u64) -> Outcome {
        // SAFETY: the caller's pointers.
        unsafe { lookup::proc_address_v1(EXPORTED, symbol, function, version, flags) }
    }

    pub unsafe fn cuGetProcAddress_v2(
        symbol: *const c_char,
        function: *mut Raw,
        version: c_int,
        flags: u64,
        status: *mut c_uint,
    ) -> Outcome {
        // SAFETY: the caller's pointers.
        unsafe { lookup::proc_address(EXPORTED, symbol, function, version, flags, status) }
    }
}

macro_rules! exports {
    ($($name:ident $arguments:tt $([$($other:ident $(: $stream:ident)?),*])? $($age:ident)?;)*) => {
        $(
            export! { $name $arguments }
            $($(other_name! { $other = $name $arguments $($stream)? })*)?
        )*
        /// The names that have an implementation.
        #[cfg(test)]
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];
        /// The function of a name, implemented or not.
        pub fn address(name: &str) -> Option<*const c_void> {
            match name {
                $(stringify!($name) => Some($name as *const c_void),)*
                _ => without::address(name).or_else(|| graphics::address(name)).or_else(|| refused::address(name)),
            }
        }
        /// The function of another name of a function of the table.
        pub fn address_of_other(name: &str) -> Option<*const c_void> {
            match name {
                $($($(stringify!($other) => Some($other as *const c_void),)*)?)*
                "cuLaunchKernelEx_ptsz" => Some(cuLaunchKernelEx_ptsz as *const c_void),
                _ => None,
            }
        }
    };
}

/// One function: panics stay inside, and a failure is remembered with its cause.
macro_rules! export {
    ($name:ident ($($argument:ident: $type:ty),*)) => {
        /// As NVIDIA's driver interface defines it.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> CUresult {
            // SAFETY: the caller keeps the promises that the interface asks of it; what can be checked is checked.
            #[allow(unused_unsafe)]
            surface::call(stringify!($name), &mut || unsafe { implementation::$name($($argument),*) })
        }
    };
}

/// The same function under another name, which may have the thread's stream in place of the default one.
macro_rules! other_name {
    ($other:ident = $name:ident ($($argument:ident: $type:ty),*) $($stream:ident)?) => {
        /// As NVIDIA's driver interface defines it.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $other($($argument: $type),*) -> CUresult {
            $(let $stream = if $stream.is_null() { PER_THREAD } else { $stream };)?
            // SAFETY: the caller keeps the promises that the interface asks of it.
            unsafe { $name($($argument),*) }
        }
    };
}

cuda::functions!(exports);

/// All of them, for lookups by name.
pub const EXPORTED: lookup::Exported = lookup::Exported { address, address_of_other };

/// `cuStreamBeginCapture` of CUDA 10.0, which had one mode: global.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCapture(stream: Raw) -> CUresult {
    // SAFETY: the caller keeps the promises that the interface asks of it.
    unsafe { cuStreamBeginCapture_v2(stream, 0) }
}

/// `cuLaunchKernelEx` with the thread's stream in place of the default one, which stands in the configuration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernelEx_ptsz(
    config: *const LaunchConfig,
    function: Raw,
    parameters: *mut Raw,
    extra: *mut Raw,
) -> CUresult {
    // SAFETY: null, or the caller's configuration; its copy lives as long as the call.
    unsafe {
        match config.as_ref() {
            Some(given) if given.stream.is_null() => {
                let own = LaunchConfig { stream: PER_THREAD, ..*given };
                cuLaunchKernelEx(&own, function, parameters, extra)
            }
            _ => cuLaunchKernelEx(config, function, parameters, extra),
        }
    }
}

/// Names that have no implementation.
pub mod without {
    #![allow(non_snake_case)]
    use super::absent;
    cuda::without_driver!(absent);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;
    use std::ptr::null_mut;

    #[test]
    fn every_name_is_exported_once() {
        let mut all: Vec<&str> = NAMES.iter().chain(without::NAMES).copied().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        // As many as cudarc 0.19.10 declares, over all its versions of CUDA.
        assert_eq!(count, 514);
        assert!(all.iter().all(|name| address(name).is_some()));
        // None of the others is among them, or it would not link.
        assert!(refused::NAMES.iter().chain(graphics::NAMES).all(|name| address(name).is_some()));
    }

    /// A lookup by name takes the newest variant: a late one that has no implementation must not hide the plain one.
    #[test]
    fn what_is_implemented_is_found_by_name() {
        for name in NAMES {
            let mut found = null_mut();
            let text = std::ffi::CString::new(*name).expect("a name");
            // SAFETY: a text that ends in NUL, and places for the results.
            let asked = unsafe { lookup::proc_address(EXPORTED, text.as_ptr(), &mut found, 13000, 0, null_mut()) };
            asked.expect("it answers");
            let hidden = without::NAMES.iter().find(|other| without::address(other) == Some(found.cast_const()));
            assert_eq!(hidden, None, "in place of {name}");
        }
    }

    /// The function that a program finds with these flags.
    fn found(name: &CStr, flags: u64) -> *const c_void {
        let (mut function, mut status) = (null_mut(), 9);
        // SAFETY: a text that ends in NUL, and places for the answers.
        let code = unsafe { cuGetProcAddress_v2(name.as_ptr(), &mut function, 13000, flags, &mut status) };
        assert_eq!((code, status), (CUresult::CUDA_SUCCESS, 0), "{name:?}");
        function
    }

    #[test]
    fn streams_of_threads_are_found_by_name_and_by_flag() {
        assert_eq!(found(c"cuStreamGetId", 2), cuStreamGetId_ptsz as *const c_void);
        assert_eq!(found(c"cuStreamGetId", 1), cuStreamGetId as *const c_void);
        assert_eq!(found(c"cuMemcpyHtoD", 2), cuMemcpyHtoD_v2_ptds as *const c_void);
        assert_eq!(found(c"cuMemAlloc", 2), cuMemAlloc_v2 as *const c_void);
        let success = CUresult::CUDA_SUCCESS;
        let (mut context, mut ids) = (null_mut(), [0u64; 3]);
        // SAFETY: live handles, places for results.
        unsafe {
            assert_eq!(cuInit(0), success);
            assert_eq!(cuCtxCreate_v2(&mut context, 0, 0), success);
            let [of_thread, of_null, legacy] = &mut ids;
            assert_eq!(cuStreamGetId(PER_THREAD, of_thread), success);
            assert_eq!(cuStreamGetId_ptsz(null_mut(), of_null), success);
            assert_eq!(cuStreamGetId(null_mut(), legacy), success);
            assert_eq!(cuCtxDestroy(context), success);
        }
        assert_eq!(ids[0], ids[1]);
        assert_ne!(ids[1], ids[2]);
    }
}
