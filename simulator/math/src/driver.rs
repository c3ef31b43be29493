//! Functions of `libcuda.so.1`, made from the table of the crate `cuda` and found by name when the first call needs the driver.
#![allow(non_snake_case, clippy::too_many_arguments, missing_docs, reason = "the table's names and rows")]
use crate::failure::{Failure, Outcome};
use cuda::types::*;
use cuda::{client, client::NoSuccess};
use std::sync::OnceLock;

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

cuda::functions!(client
    labs_sim_refuse(name: *const c_char);
    labs_sim_before_answer(stream: crate::layout::Raw);
    labs_sim_answered(stream: crate::layout::Raw, name: *const c_char, ranges: *const cuda::extension::Range, count: u64, multiply_adds: u64);
);

/// `CUDA_ERROR_NOT_FOUND`
const NOT_FOUND: u32 = 500;

impl From<NoSuccess> for Failure {
    fn from(end: NoSuccess) -> Failure {
        match end {
            NoSuccess::Absent => Failure::Driver(NOT_FOUND),
            NoSuccess::Result(code) => Failure::Driver(code),
        }
    }
}
