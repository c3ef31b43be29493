//! The functions beyond CUDA's interface: settings in, JSON out, and a link.
//!
//! A program that configures the simulator here is one that takes records: from then on each launch is kept with its counters
//! and lines, and spans of the clock are kept unless `trace` is false. Without it, launches are added up by kernel and shape.
//!
//! `labs_sim_configure`, `labs_sim_take`, `labs_sim_free`, `labs_sim_version`; texts are NUL-terminated UTF-8. The keys are
//! documented in `docs/architecture.md`. `labs_sim_place` and `labs_sim_read` are for host memory that is given by a function. `labs_sim_link` is for the front of nvJitLink (`simulator/fronts/nvjitlink`), which links without a context; `labs_sim_before_answer` and `labs_sim_answered` ([`answered`](super::answered)) for operations that the host computes.
use crate::calls::device;
use crate::calls::modules::link;
use crate::executor;
use crate::interface::{Cause, failure, printed};
use crate::state;
use crate::state::logs::refusals;
use crate::state::settings::{MOST_DEVICES, Sample, profile};
use clock::cards::{DEVICES, Device, choose, find};
use cuda::extension::{Fill, LinkInput};
use machine::memory::Memory;
use serde_json::{Value, json};
use std::ffi::{CStr, CString, c_char};
use std::panic::catch_unwind;
use std::sync::Arc;
use watch::diagnostics::{Family, give_source};

/// The interface's version.
const VERSION: u32 = 1;

/// Sets what the JSON object names. Null, or what is wrong with it.
///
/// # Safety
/// `settings` is null or a NUL-terminated text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn labs_sim_configure(settings: *const c_char) -> *mut c_char {
    // SAFETY: `settings` is null or a NUL-terminated text, which is what `read` asks.
    let text = unsafe { read(settings) };
    let outcome = catch_unwind(|| configure(&text)).unwrap_or_else(|_| Err("the simulator has a defect".into()));
    outcome.map_or_else(give, |()| std::ptr::null_mut())
}

/// One JSON document about `what`; records are forgotten then. Null for an unknown `what`.
///
/// # Safety
/// `what` is null or a NUL-terminated text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn labs_sim_take(what: *const c_char) -> *mut c_char {
    // SAFETY: `what` is null or a NUL-terminated text, which is what `read` asks.
    let what = unsafe { read(what) };
    catch_unwind(|| take(&what)).ok().flatten().map_or(std::ptr::null_mut(), |value| give(value.to_string()))
}

/// Frees what the other functions answered.
///
/// # Safety
/// `text` is null, or came from one of the functions above and was not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn labs_sim_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: made by `give`, freed once.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// The interface's version.
#[unsafe(no_mangle)]
pub extern "C" fn labs_sim_version() -> u32 {
    VERSION
}

/// Notes that a library over the driver, such as the runtime, has no implementation of a function that the program called.
///
/// # Safety
/// `name` is null or a NUL-terminated text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn labs_sim_refuse(name: *const c_char) -> u32 {
    // SAFETY: `name` is null or a NUL-terminated text, which is what `read` asks.
    let name = unsafe { read(name) };
    let _ = catch_unwind(|| refusals::note_function(&name));
    0
}

/// Links inputs for cards of a compute capability, as `.target` counts it (90), and gives kernels at most so many registers a
/// thread, or any number (0). With 0 as the result the answer is the linked PTX, else what is wrong; `labs_sim_free` frees it.
///
/// # Safety
/// There are `count` inputs, whose names end in NUL and whose data have as many bytes as they say, and a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn labs_sim_link(
    inputs: *const LinkInput,
    count: usize,
    capability: u32,
    max_registers: u32,
    result: *mut u32,
) -> *mut c_char {
    let inputs: Vec<_> = (0..count)
        .map(|i| {
            // SAFETY: the pointer is as this function's caller has to give it.
            let input = unsafe { inputs.add(i).read() };
            // SAFETY: as above.
            unsafe { (input.kind, read(input.name), std::slice::from_raw_parts(input.data.cast::<u8>(), input.bytes)) }
        })
        .collect();
    let most = Some(max_registers).filter(|&most| most > 0);
    let linked =
        catch_unwind(|| link::all(&inputs, capability, most)).unwrap_or_else(|_| Err(Cause::Defect("a link".into())));
    let (code, text) = linked.map_or_else(|cause| (cause.code() as u32, cause.to_string()), |text| (0, text));
    // SAFETY: the caller's place.
    unsafe { result.write(code) };
    give(text)
}

/// From now on `bytes` of host memory from `address` on hold what `fill` makes, for copies to the first device and back; without `fill`, no
/// longer. Nobody has written there, and the host reads by [`labs_sim_read`]: a page of it or of a copy is made when a kernel looks at it.
/// `fill` gets the seed, the offset of the first byte, a place for the bytes, and their number. 0: there is no device.
///
/// # Safety
/// The memory stays valid, and `fill` may be called from any thread, until the range is named without `fill` or freed by the driver.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn labs_sim_place(address: u64, bytes: u64, fill: Option<Fill>, seed: u64) -> u32 {
    let Some(memory) = first_memory() else { return 0 };
    match fill {
        None => memory.remove_place(address),
        Some(fill) => {
            // SAFETY: the caller gives pointers as the interface asks; the place is as long as it says.
            let source =
                move |first: u64, into: &mut [u8]| unsafe { fill(seed, first, into.as_mut_ptr(), into.len() as u64) };
            memory.add_place(address, bytes, Arc::new(source));
        }
    }
    1
}

/// Reads from a range that [`labs_sim_place`] named. 0: the bytes are in none.
///
/// # Safety
/// There is room for so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn labs_sim_read(address: u64, bytes: u64, into: *mut u8) -> u32 {
    // SAFETY: the pointer is as this function's caller has to give it.
    let into = unsafe { std::slice::from_raw_parts_mut(into, bytes as usize) };
    first_memory().is_some_and(|memory| memory.read_sparse(address, into)).into()
}

fn first_memory() -> Option<Arc<Memory>> {
    state::lock().devices.first().map(|device| device.memory.clone())
}

pub(super) unsafe fn read(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null, and the caller vouches for the rest.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

fn give(text: String) -> *mut c_char {
    CString::new(text.replace('\0', "?")).unwrap_or_default().into_raw()
}

fn configure(text: &str) -> Result<(), String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let object = value.as_object().ok_or("the settings are not a JSON object")?;
    let mut driver = state::lock();
    driver.settings.check()?;
    let mut settings = driver.settings.clone();
    settings.is_bridged = true;
    for (key, value) in object {
        let number = || value.as_u64().ok_or_else(|| format!("`{key}` wants a whole number"));
        let flag = || value.as_bool().ok_or_else(|| format!("`{key}` wants true or false"));
        match key.as_str() {
            "profile" => {
                let name = value.as_str().ok_or("`profile` wants a name")?;
                settings.profile = profile(name)?;
            }
            "devices" => {
                settings.devices = number()? as usize;
                if !(1..=MOST_DEVICES).contains(&settings.devices) {
                    return Err(format!("`devices` is {}; allowed: 1 to {MOST_DEVICES}", settings.devices));
                }
            }
            "schedule_seed" => settings.schedule_seed = number()?,
            "threads" => settings.threads = number()? as usize,
            "instruction_budget" => settings.instruction_budget = number()?,
            "counters" => settings.counters = flag()?,
            "trials" => settings.trials = flag()?,
            "samples" => settings.samples = flag()?,
            "sanitize" => settings.sanitize = flag()?,
            "sources" => {
                let texts = value.as_object().ok_or("`sources` wants texts by their paths")?;
                for (path, text) in texts {
                    give_source(path, text.as_str().ok_or("`sources` wants texts by their paths")?);
                }
            }
            "keep_printed" => printed::keep(flag()?),
            "sample" => {
                let known = settings.sample.unwrap_or(Sample { waves: 0, seed: 0, sums: false });
                settings.sample = Some(number()?).filter(|&waves| waves > 0).map(|waves| Sample { waves, ..known });
            }
            "sample_seed" => {
                let seed = number()?;
                settings.sample.iter_mut().for_each(|sample| sample.seed = seed);
            }
            "sample_sums" => {
                let sums = flag()?;
                settings.sample.iter_mut().for_each(|sample| sample.sums = sums);
            }
            "trace" => settings.trace = Some(flag()?),
            other => return Err(format!("no setting is called `{other}`")),
        }
    }
    let fixed = settings.profile != driver.settings.profile || settings.devices != driver.settings.devices;
    refuse_if!(driver.initialised && fixed, "`profile` and `devices` can be set only before cuInit".into());
    driver.settings = settings;
    driver.apply_settings();
    Ok(())
}

/// The cards that there are: of a file the one that was chosen, before those of the table, and the table's.
fn profiles(chosen: &str) -> Vec<&'static Device> {
    let of_file = choose(chosen).ok().filter(|card| find(card.key).is_none());
    of_file.into_iter().chain(DEVICES.iter()).collect()
}

fn failure_record(failure: failure::Failure) -> Value {
    json!({ "code": failure.code as u32, "family": failure.family, "message": failure.text.to_string_lossy() })
}

fn take(what: &str) -> Option<Value> {
    if what == "standing" {
        return serde_json::to_value(Vec::from_iter(executor::running())).ok();
    }
    if what == "devices" {
        return Some(device::told().into());
    }
    if what == "failure" {
        return Some(Vec::from_iter(failure::last().map(failure_record)).into());
    }
    if what == "printed" {
        return serde_json::to_value(Vec::from_iter(printed::take())).ok();
    }
    if what == "families" {
        return Some(Family::ALL.map(|family| json!({ "key": family.key(), "title": family.title() })).to_vec().into());
    }
    if what == "fidelity" {
        let mut certificate = state::lock().records.certificate.clone();
        (certificate.refused, certificate.asked_in_vain) = refusals::so_far();
        return Some(json!([certificate.json()]));
    }
    let mut driver = state::lock();
    let chosen = driver.settings.profile.clone();
    let records = &mut driver.records;
    let taken = match what {
        "launches" => serde_json::to_value(records.take_launches()),
        "kernels" => serde_json::to_value(records.take_kernels()),
        "findings" => serde_json::to_value(records.take_findings()),
        "activities" => serde_json::to_value(records.take_activities()),
        "dropped" => serde_json::to_value(records.take_dropped()),
        "profiles" => serde_json::to_value(profiles(&chosen)),
        _ => return None,
    };
    taken.ok().or_else(|| Some(json!([])))
}
