//! Kernels: their attributes, as a compiler would tell them.
use crate::interface::{Cause, Outcome, forward, out, out_if_wanted};
use crate::objects::modules::function::Function;
use crate::state;
use cuda::layout::Raw;
use std::ffi::{c_int, c_uint};

/// `cuFuncGetAttribute`, `cuKernelGetAttribute`: numbers of `CUfunction_attribute`.
pub unsafe fn cuFuncGetAttribute(value: *mut c_int, attribute: c_uint, function: Raw) -> Outcome {
    let driver = state::started()?;
    let found = driver.functions.get(function as usize)?;
    let device = driver.contexts.get(driver.modules.get(found.module)?.context)?.device;
    let card = driver.devices[device].card;
    let a = &found.attributes;
    let answer = match attribute {
        0 => found.max_threads_on(card) as c_int,
        1 => a.static_shared_bytes as c_int,
        2 => a.constant_bytes as c_int,
        3 => a.local_bytes as c_int,
        4 => a.registers as c_int,
        5 => found.loaded.target as c_int,
        6 => {
            let (major, minor) = card.architecture.compute_capability;
            (major * 10 + minor) as c_int
        }
        7 => 0,
        8 => a.max_dynamic_shared_bytes as c_int,
        9 => a.carveout,
        10 => (a.cluster.must_be_set || a.cluster.required.is_some()).into(),
        11..=13 => a.cluster.required.map_or(0, |cluster| cluster[attribute as usize - 11] as c_int),
        14 => a.cluster.non_portable.into(),
        15 => a.cluster.scheduling,
        other => return Err(Cause::NoSuchValue("attrib", other.into())),
    };
    unsafe { out("pi", value, answer) }
}

/// `cuFuncSetAttribute`, `cuKernelSetAttribute`
pub fn cuFuncSetAttribute(function: Raw, attribute: c_uint, value: c_int) -> Outcome {
    let mut driver = state::started()?;
    let found = driver.functions.get(function as usize)?;
    let device = driver.contexts.get(driver.modules.get(found.module)?.context)?.device;
    let limit = driver.devices[device].card.architecture.shared_bytes_per_block_opt_in;
    let a = &mut driver.functions.get_mut(function as usize)?.attributes;
    match attribute {
        8 => {
            let room = limit.saturating_sub(a.static_shared_bytes);
            match u32::try_from(value) {
                Ok(bytes) if bytes <= room => a.max_dynamic_shared_bytes = bytes,
                _ => {
                    let allowed = format!("0 to {room}, what the device's blocks may have less the static part");
                    return Err(Cause::OutOfRange("dynamic shared memory", value as u32 as u64, allowed));
                }
            }
            Ok(())
        }
        9 if (-1..=100).contains(&value) => {
            a.carveout = value;
            Ok(())
        }
        9 => Err(Cause::OutOfRange("carve-out", value as u32 as u64, "-1 to 100 percent".into())),
        10 => {
            a.cluster.must_be_set = value != 0;
            Ok(())
        }
        // A size that the text fixes cannot be changed; one that it leaves open becomes a requirement.
        11..=13
            if value >= 0
                && a.cluster.required.is_none_or(|known| known[attribute as usize - 11] as c_int == value) =>
        {
            if value > 0 {
                a.cluster.required.get_or_insert([1; 3])[attribute as usize - 11] = value as u32;
            }
            Ok(())
        }
        11..=13 => Err(Cause::OutOfRange("cluster", value as u32 as u64, "what the kernel is compiled for".into())),
        14 => {
            a.cluster.non_portable = value != 0;
            Ok(())
        }
        15 => {
            a.cluster.scheduling = value;
            Ok(())
        }
        other => Err(Cause::NoSuchValue("attrib", other.into())),
    }
}

/// A preference, which is kept for whoever asks, and changes nothing here.
pub fn cuFuncSetCacheConfig(function: Raw, config: c_uint) -> Outcome {
    let mut driver = state::started()?;
    refuse_if!(config > 3, Cause::NoSuchValue("config", config.into()));
    driver.functions.get_mut(function as usize).map_err(Cause::into_argument)?.attributes.cache_config = config;
    Ok(())
}

/// The width of banks cannot be set on any card since Maxwell; Kepler's stay at 8 bytes.
pub fn cuFuncSetSharedMemConfig(function: Raw, config: c_uint) -> Outcome {
    let driver = state::started()?;
    refuse_if!(config > 2, Cause::NoSuchValue("config", config.into()));
    driver.functions.get(function as usize).map(|_| ())
}

pub unsafe fn cuKernelGetLibrary(library: *mut Raw, kernel: Raw) -> Outcome {
    let driver = state::started()?;
    let value = driver.functions.get(kernel as usize)?.library;
    refuse_if!(value == 0, Cause::NoHandle("kernel of a library"));
    unsafe { out("pLib", library, value as Raw) }
}

/// `cuFuncGetParamInfo`, `cuKernelGetParamInfo`
pub unsafe fn param_info(function: Raw, index: usize, offset: *mut usize, bytes: *mut usize) -> Outcome {
    let driver = state::started()?;
    let found = driver.functions.get(function as usize).map_err(Cause::into_argument)?;
    let slot = found
        .loaded
        .facts(found.index, |f| f.parameters.get(index).map(|slot| (slot.offset as usize, slot.bytes as usize)))?
        .ok_or(Cause::NoSuchValue("paramIndex", index as i64))?;
    // SAFETY: the first is the caller's pointer; the second may be null.
    unsafe {
        out("paramOffset", offset, slot.0)?;
        out_if_wanted(bytes, slot.1);
    }
    Ok(())
}

fn of<T>(function: Raw, of: impl FnOnce(&Function) -> T) -> Result<T, Cause> {
    state::started()?.functions.get(function as usize).map(of)
}

fn parameter_count(function: Raw) -> Result<usize, Cause> {
    of(function, |found| found.loaded.facts(found.index, |facts| facts.parameters.len()))?
}

cuda::forward_kernels!(forward);
