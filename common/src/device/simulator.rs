//! The bridge to the simulated driver: the only place that knows it is there.
//!
//! `libsimulator.so` is a CUDA driver whose SONAME is `libcuda.so`. Loaded here by path, before cudarc's first call, it is what
//! cudarc finds when it asks the loader for that name. Beyond the CUDA API it exports four functions that speak JSON, so that counters,
//! findings and activities cross without shared Rust types, and two for host memory that is given by a function.

use crate::error::{self, Family, LabError};
use crate::observations::{Activity, Finding, Launch, Printed, Standing};
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW, Symbol};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::ffi::{CStr, CString, c_char};
use std::path::PathBuf;

/// The file that Cargo builds from the `simulator` crate.
const LIBRARY: &str = "libsimulator.so";
/// The version of the JSON functions that this module speaks.
const VERSION: u32 = 1;

/// A loaded simulated driver.
#[derive(Debug)]
pub struct Simulator {
    configure: Symbol<Ask>,
    take: Symbol<Ask>,
    free: Symbol<Free>,
    place: Symbol<PlaceCall>,
    read: Symbol<ReadCall>,
    // Last, and never closed: cudarc keeps function pointers into it.
    _library: std::mem::ManuallyDrop<Library>,
}

/// A card that the simulator models: what a reader chooses by.
#[derive(Clone, Debug, Deserialize)]
pub struct Profile {
    /// As `--device sim:KEY` takes it.
    pub key: String,
    /// The driver's name of the card.
    pub name: String,
    /// How far kernels' times were from those of the card, in the median; 0: nobody compared them.
    pub time_error_percent: u32,
    /// The properties of its multiprocessors.
    pub architecture: Architecture,
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Highest clock of the multiprocessors.
    pub clock_hz: f64,
    /// Device memory.
    pub memory_bytes: f64,
    /// Device memory's bandwidth by its data sheet.
    pub memory_peak_bytes_per_s: f64,
    /// Bytes that L2 hands to all multiprocessors together in one clock.
    pub l2_bytes_per_clock: u32,
    /// Copies of page-locked memory, one way.
    pub pinned_bytes_per_s: f64,
}

/// A generation of cards.
#[derive(Clone, Debug, Deserialize)]
pub struct Architecture {
    /// Say "Kepler".
    pub name: String,
    /// Major and minor.
    pub compute_capability: [u32; 2],
    /// Width of a bank of shared memory.
    pub shared_bank_bytes: u32,
}

impl Simulator {
    /// Loads the simulated driver and checks that it speaks this version's bridge.
    #[allow(unsafe_code)]
    pub fn load() -> Result<Self, LabError> {
        let path = find_library()?;
        let failure = |error: libloading::Error| {
            LabError::machine(
                format!("the simulator {} does not load: {error}", path.display()),
                "cargo build -p simulator",
            )
        };
        // SAFETY: the library is the workspace's own; its initialisers read environment variables and no more. The signatures are
        // those of the bridge, whose version is checked before any other function is called.
        unsafe {
            let library = Library::open(Some(&path), RTLD_NOW | RTLD_GLOBAL).map_err(failure)?;
            let version: Symbol<unsafe extern "C" fn() -> u32> = library.get(b"labs_sim_version\0").map_err(failure)?;
            let found = version();
            if found != VERSION {
                return Err(LabError::machine(
                    format!("{} speaks version {found} of the bridge, this lab {VERSION}", path.display()),
                    "cargo build --workspace",
                ));
            }
            let simulator = Simulator {
                configure: library.get(b"labs_sim_configure\0").map_err(failure)?,
                take: library.get(b"labs_sim_take\0").map_err(failure)?,
                free: library.get(b"labs_sim_free\0").map_err(failure)?,
                place: library.get(b"labs_sim_place\0").map_err(failure)?,
                read: library.get(b"labs_sim_read\0").map_err(failure)?,
                _library: std::mem::ManuallyDrop::new(library),
            };
            let (take, free) = (*simulator.take, *simulator.free);
            error::classify_driver_errors(Box::new(move |code| family_of_last_failure(take, free, code as u32)));
            Ok(simulator)
        }
    }

    /// Changes settings; profile and number of devices only before the driver's first call. Errors: the simulator's own text.
    #[allow(unsafe_code)]
    pub fn configure(&self, settings: &Map<String, Value>) -> Result<(), LabError> {
        let json = c_string(&Value::Object(settings.clone()).to_string());
        // SAFETY: a NUL-terminated string that outlives the call; the answer is NULL or a string of the library's.
        match owned(*self.free, unsafe { (self.configure)(json.as_ptr()) }) {
            None => Ok(()),
            // A mistake in the environment says by itself what to do.
            Some(text) if text.contains("\n  next: ") => Err(LabError::usage(text, "")),
            Some(text) => Err(LabError::usage(text, "--list names the devices")),
        }
    }

    /// From now on a range of host memory, which nobody has touched, holds what `fill` makes; without `fill`, no longer. `false`: there is no
    /// device.
    ///
    /// # Safety
    /// The memory stays valid, and `fill` writes as many bytes as it is told, until the range is named without `fill`.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn place(&self, address: u64, bytes: u64, fill: Option<Fill>, seed: u64) -> bool {
        // SAFETY: `fill` is valid for as long as the range is, by this function's `# Safety`.
        unsafe { (self.place)(address, bytes, fill, seed) != 0 }
    }

    /// Reads from a range that was given to [`place`](Self::place). `false`: the bytes are in none.
    ///
    /// # Safety
    /// There is room for so many bytes.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn read(&self, address: u64, bytes: u64, into: *mut u8) -> bool {
        // SAFETY: `into` has room for `bytes` bytes, by this function's `# Safety`.
        unsafe { (self.read)(address, bytes, into) != 0 }
    }

    /// All launches since the last call, in launch order.
    pub fn take_launches(&self) -> anyhow::Result<Vec<Launch>> {
        self.take_as("launches")
    }

    /// How far the launch is that runs now; `None`: none runs, or it is not known.
    pub fn standing(&self) -> Option<Standing> {
        self.take_as::<Standing>("standing").ok()?.into_iter().next()
    }

    /// Findings of the sanitizer since the last call.
    pub fn take_findings(&self) -> anyhow::Result<Vec<Finding>> {
        self.take_as("findings")
    }

    /// Text that kernels printed since the last call, where it is kept.
    pub fn take_printed(&self) -> anyhow::Result<Vec<Printed>> {
        self.take_as("printed")
    }

    /// Kernels, copies and API calls since the last call.
    pub fn take_activities(&self) -> anyhow::Result<Vec<Activity>> {
        self.take_as("activities")
    }

    /// Which instructions of the kernels so far are exact, approximate or ignored, and what was refused.
    pub fn fidelity(&self) -> anyhow::Result<Value> {
        Ok(self.take_as("fidelity")?.pop().unwrap_or_default())
    }

    /// The device table: one row per card.
    pub fn profiles(&self) -> anyhow::Result<Vec<Profile>> {
        self.take_as("profiles")
    }

    fn take_as<T: serde::de::DeserializeOwned>(&self, what: &str) -> anyhow::Result<Vec<T>> {
        take_as(*self.take, *self.free, what)
    }
}

/// `labs_sim_configure` and `labs_sim_take`.
type Ask = unsafe extern "C" fn(*const c_char) -> *mut c_char;
/// Makes bytes of a range: gets a seed, the offset of the first, a place for them, and their number.
pub(crate) type Fill = unsafe extern "C" fn(u64, u64, *mut u8, u64);
/// `labs_sim_place`
type PlaceCall = unsafe extern "C" fn(u64, u64, Option<Fill>, u64) -> u32;
/// `labs_sim_read`
type ReadCall = unsafe extern "C" fn(u64, u64, *mut u8) -> u32;
/// `labs_sim_free`
type Free = unsafe extern "C" fn(*mut c_char);

/// One JSON array of the bridge.
#[allow(unsafe_code)]
fn take_as<T: serde::de::DeserializeOwned>(take: Ask, free: Free, what: &str) -> anyhow::Result<Vec<T>> {
    let name = c_string(what);
    // SAFETY: a NUL-terminated string that outlives the call; the answer is NULL or a string of the library's.
    let Some(text) = owned(free, unsafe { take(name.as_ptr()) }) else {
        return Ok(Vec::new());
    };
    serde_json::from_str(&text).map_err(|error| anyhow::anyhow!("the simulator's {what} are not as agreed: {error}"))
}

/// Copies and frees a string of the library's.
#[allow(unsafe_code)]
fn owned(free: Free, text: *mut c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: not null, so by the bridge's contract NUL-terminated and ours to free exactly once.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        free(text);
        Some(copy)
    }
}

/// A call that failed, as `labs_sim_take("failure")` tells of it.
#[derive(Deserialize)]
struct Failure {
    code: u32,
    family: String,
}

/// The family of this thread's last failed call, if it failed with this code.
fn family_of_last_failure(take: Ask, free: Free, code: u32) -> Option<Family> {
    let failures: Vec<Failure> = take_as(take, free, "failure").ok()?;
    Family::of_key(&failures.into_iter().find(|failure| failure.code == code)?.family)
}

fn c_string(text: &str) -> CString {
    CString::new(text).expect("neither JSON nor the bridge's words hold a NUL")
}

/// The library beside the executable or in Cargo's `deps/`. Cargo always refreshes the copy in `deps/`, so that one is asked first.
pub(crate) fn find_library() -> Result<PathBuf, LabError> {
    if let Some(path) = std::env::var_os("LABS_SIMULATOR") {
        return Ok(PathBuf::from(path));
    }
    let executable = std::env::current_exe().map_err(|error| {
        LabError::machine(format!("the path of this program is unknown: {error}"), "set LABS_SIMULATOR")
    })?;
    // A link on the PATH may point to the program: the library lies beside the program, not beside the link.
    let executable = executable.canonicalize().unwrap_or(executable);
    let directory = executable.parent().map(PathBuf::from).unwrap_or_default();
    [directory.join("deps"), directory.clone(), directory.join("../deps")]
        .into_iter()
        .map(|folder| folder.join(LIBRARY))
        .find(|path| path.exists())
        .ok_or_else(|| {
            LabError::machine(
                format!("{LIBRARY} is not beside {}", executable.display()),
                "cargo build -p simulator, or set LABS_SIMULATOR to its path",
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_without_counters_is_still_a_launch() {
        let launch: Launch =
            serde_json::from_str(r#"{"kernel": "naive_f32", "counters": null, "lines": null}"#).unwrap();
        assert!(launch.counters.is_empty() && launch.lines.is_empty());
        let launch: Launch = serde_json::from_str(
            r#"{"kernel": "k", "grid": [1, 2, 3], "counters": {"barriers": 4}, "bound_by": "latency"}"#,
        )
        .unwrap();
        assert_eq!(launch.grid, [1, 2, 3]);
        assert_eq!(launch.counters["barriers"], 4);
    }

    #[derive(Deserialize)]
    struct Listed {
        key: String,
        title: String,
    }

    #[test]
    fn the_families_are_those_of_the_simulator() {
        let simulator = Simulator::load().expect("the simulated driver");
        let listed: Vec<Listed> = simulator.take_as("families").expect("a list");
        let listed: Vec<_> = listed.iter().map(|family| (family.key.as_str(), family.title.as_str())).collect();
        assert_eq!(listed, Family::OF_DRIVER.map(|family| (family.key(), family.title())));
    }

    #[test]
    fn a_failed_call_has_its_family_once() {
        let _simulator = Simulator::load().expect("the simulated driver");
        let failed = cudarc::driver::result::device::get(99).expect_err("there is no such device");
        let text = error::describe_driver_error(&failed);
        assert!(text.starts_with("your host code: cuDeviceGet: "), "{text}");
        // The last failure had another code: nothing is known of this one but its code.
        let other = cudarc::driver::DriverError(cudarc::driver::sys::CUresult::CUDA_ERROR_LAUNCH_TIMEOUT);
        let text = error::describe_driver_error(&other);
        assert!(text.starts_with("limit reached: ") && text.contains("(CUDA_ERROR_LAUNCH_TIMEOUT)"), "{text}");
    }
}
