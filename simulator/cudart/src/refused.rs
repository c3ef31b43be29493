//! Functions of the interface that have no implementation.
use crate::driver::loaded;
use crate::status::{NOT_SUPPORTED, call};
use std::collections::BTreeSet;
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

/// Says once on standard error that a function of the interface does nothing here.
pub fn refuse(name: &'static str) -> u32 {
    static TOLD: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    if TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(name) {
        eprintln!("[cudart] {name} has no implementation in this runtime library; it answers cudaErrorNotSupported");
        // A driver that is not the simulator has no such function, and its programs no such exit code.
        if let (Some(driver), Ok(name)) = (loaded(), CString::new(name)) {
            // SAFETY: a text that ends in NUL.
            let _ = unsafe { driver.labs_sim_refuse(name.as_ptr()) };
        }
    }
    call(&mut || Err(NOT_SUPPORTED))
}
