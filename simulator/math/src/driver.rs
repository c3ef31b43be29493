//! Functions of `libcuda.so.1`, made from the table of the crate `cuda` and found by name when the first call needs the driver.
#![allow(non_snake_case, clippy::too_many_arguments, missing_docs, reason = "the table's names and rows")]
use crate::failure::{Failure, Outcome};
use cuda::types::*;
use std::ffi::CStr;
use std::sync::OnceLock;

macro_rules! functions {
    ($($name:ident $arguments:tt $([$($other:ident $(: $stream:ident)?),*])? $($age:ident)?;)*) => {
        /// The driver's functions; 0 where it lacks one.
        pub struct Driver { $($name: usize),* }

        impl Driver {
            fn find(address: &dyn Fn(&CStr) -> usize) -> Driver {
                Driver { $($name: address(named(concat!(stringify!($name), "\0")))),* }
            }
            $(function! { $name $arguments })*
        }
    };
}

/// Calls the driver's function, if the driver has it.
macro_rules! function {
    ($name:ident ($($argument:ident: $type:ty),*)) => {
        pub unsafe fn $name(&self, $($argument: $type),*) -> Outcome {
            if self.$name == 0 {
                return Err(Failure::Driver(NOT_FOUND));
            }
            // SAFETY: the driver's function of this name has these arguments.
            let function: unsafe extern "C" fn($($type),*) -> u32 = unsafe { std::mem::transmute(self.$name) };
            // SAFETY: the caller's promise.
            match unsafe { function($($argument),*) } {
                0 => Ok(()),
                code => Err(Failure::Driver(code)),
            }
        }
    };
}

/// `CUDA_ERROR_NOT_FOUND`
const NOT_FOUND: u32 = 500;

const fn named(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the macro ends every name with NUL"),
    }
}

static DRIVER: OnceLock<Result<Driver, Failure>> = OnceLock::new();

/// The driver, if a call needed it already.
pub fn loaded() -> Option<&'static Driver> {
    DRIVER.get().and_then(|driver| driver.as_ref().ok())
}

/// The driver, started.
pub fn driver() -> Result<&'static Driver, Failure> {
    DRIVER.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Driver, Failure> {
    // SAFETY: loading a library runs its initialisers, which the user asked for by running a CUDA program.
    let library = [c"libcuda.so.1", c"libcuda.so"].iter().find_map(|name| unsafe {
        let library = libc::dlopen(name.as_ptr(), libc::RTLD_NOW);
        (!library.is_null()).then_some(library)
    });
    let Some(library) = library else {
        eprintln!("[math] there is no CUDA driver (libcuda.so.1); `sim` runs a program on a simulated one");
        return Err(Failure::NotInitialized);
    };
    // SAFETY: an open library, which is never closed, and a name that ends in NUL.
    let driver = Driver::find(&|name| unsafe { libc::dlsym(library, name.as_ptr()) } as usize);
    // SAFETY: it has no conditions.
    unsafe { driver.cuInit(0)? };
    Ok(driver)
}

cuda::functions!(functions labs_sim_refuse(name: *const c_char););
