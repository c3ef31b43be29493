//! The simulated driver of this process, asked for its cards.
use crate::status::{DRIVER_NOT_LOADED, INVALID_ARGUMENT, Outcome, UNINITIALIZED, UNKNOWN};
use serde::Deserialize;
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The driver's record of one card (`docs/architecture.md`, `devices`).
#[derive(Clone, Debug, Deserialize)]
pub struct Card {
    pub card: Row,
    pub uuid: String,
    pub pci_bus_id: String,
    /// The version of the driver's interface: 13000.
    pub interface: u32,
    pub memory_total_bytes: u64,
    pub memory_used_bytes: u64,
    /// The share of the last second of virtual time in which a kernel ran, in %.
    pub kernel_percent: u32,
    /// The share in which a kernel or a copy ran.
    pub memory_percent: u32,
    /// True if this process has a context on it.
    pub is_used: bool,
}

/// The card's row in the simulator's table.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    pub name: String,
    pub architecture: Architecture,
    pub multiprocessors: u32,
    pub clock_hz: f64,
    pub memory_clock_hz: f64,
    pub memory_bus_bits: u32,
    pub pcie_generation: u32,
    pub pcie_lanes: u32,
}

/// The row of the card's architecture.
#[derive(Clone, Debug, Deserialize)]
pub struct Architecture {
    pub compute_capability: (u32, u32),
    pub fp32_lanes_per_multiprocessor: u32,
}

/// How many calls of `nvmlInit` no `nvmlShutdown` has answered.
static STARTED: AtomicUsize = AtomicUsize::new(0);

/// `nvmlInit`: starts the driver.
pub fn start() -> Outcome {
    type Init = unsafe extern "C" fn(u32) -> u32;
    // SAFETY: the driver's function of this name has this type, and no conditions.
    let code = unsafe { std::mem::transmute::<*mut c_void, Init>(function(c"cuInit")?)(0) };
    refuse_if!(code != 0, DRIVER_NOT_LOADED);
    STARTED.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

/// `nvmlShutdown`
pub fn stop() -> Outcome {
    let lower = |count: usize| count.checked_sub(1);
    STARTED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, lower).map(drop).map_err(|_| UNINITIALIZED)
}

/// The cards as they are now.
pub fn cards() -> Outcome<Vec<Card>> {
    refuse_if!(STARTED.load(Ordering::Relaxed) == 0, UNINITIALIZED);
    type Take = unsafe extern "C" fn(*const c_char) -> *mut c_char;
    type Free = unsafe extern "C" fn(*mut c_char);
    let (take, free) = (function(c"labs_sim_take")?, function(c"labs_sim_free")?);
    // SAFETY: the simulator's functions of these names have these types; the answer is null or a text, freed once.
    let told = unsafe {
        let answer = std::mem::transmute::<*mut c_void, Take>(take)(c"devices".as_ptr());
        refuse_if!(answer.is_null(), UNKNOWN);
        let told = CStr::from_ptr(answer).to_string_lossy().into_owned();
        std::mem::transmute::<*mut c_void, Free>(free)(answer);
        told
    };
    serde_json::from_str(&told).map_err(|_| UNKNOWN)
}

pub fn card(ordinal: usize) -> Outcome<Card> {
    cards()?.into_iter().nth(ordinal).ok_or(INVALID_ARGUMENT)
}

/// A function of the driver, which is the simulator: cards of another driver have an NVML of their own.
fn function(name: &CStr) -> Outcome<*mut c_void> {
    // SAFETY: loading the driver runs its initialisers, which the program asked for; it is never closed. The names end in NUL.
    unsafe {
        let driver = libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW);
        refuse_if!(driver.is_null() || libc::dlsym(driver, c"labs_sim_take".as_ptr()).is_null(), DRIVER_NOT_LOADED);
        let found = libc::dlsym(driver, name.as_ptr());
        if found.is_null() { Err(DRIVER_NOT_LOADED) } else { Ok(found) }
    }
}
