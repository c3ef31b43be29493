//! Launches as before CUDA 4: block, shared memory and parameters are set at the function, and a launch names its grid.
use super::launch::{LaunchRequest, launch};
use crate::interface::{Cause, LEGACY, Outcome, forward};
use crate::objects::modules::function::Prepared;
use crate::state;
use cuda::layout::Raw;
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::null_mut;

/// More parameters than a card takes.
const MOST_BYTES: usize = 1 << 16;

fn prepare(function: Raw, set: impl FnOnce(&mut Prepared)) -> Outcome {
    let mut driver = state::lock();
    driver.current()?;
    set(&mut driver.functions.get_mut(function as usize)?.prepared);
    Ok(())
}

fn extent(name: &'static str, value: c_int) -> Result<u32, Cause> {
    u32::try_from(value).map_err(|_| Cause::NoSuchValue(name, value.into()))
}

/// `cuFuncSetBlockShape`
pub fn set_block(function: Raw, block: [c_int; 3]) -> Outcome {
    let [x, y, z] = block;
    let block = [extent("x", x)?, extent("y", y)?, extent("z", z)?];
    prepare(function, |prepared| prepared.block = block)
}

pub fn cuFuncSetSharedSize(function: Raw, bytes: c_uint) -> Outcome {
    prepare(function, |prepared| prepared.dynamic_shared_bytes = bytes)
}

pub fn cuParamSetSize(function: Raw, bytes: c_uint) -> Outcome {
    let bytes = bytes as usize;
    refuse_if!(bytes > MOST_BYTES, Cause::OutOfRange("numbytes", bytes as u64, format!("up to {MOST_BYTES}")));
    prepare(function, |prepared| prepared.parameters.resize(bytes, 0))
}

/// `cuParamSeti`, `cuParamSetf`, `cuParamSetv`: bytes of the buffer from an offset on.
pub fn set_parameter(function: Raw, offset: c_int, bytes: &[u8]) -> Outcome {
    let offset = extent("offset", offset)? as usize;
    let end = offset + bytes.len();
    if end > MOST_BYTES {
        return Err(Cause::OutOfRange("offset", offset as u64, format!("up to {MOST_BYTES} with what follows")));
    }
    prepare(function, |prepared| {
        let all = &mut prepared.parameters;
        all.resize(all.len().max(end), 0);
        all[offset..end].copy_from_slice(bytes);
    })
}

/// # Safety
/// `from` is null or has so many bytes.
pub unsafe fn cuParamSetv(function: Raw, offset: c_int, from: *const c_void, bytes: c_uint) -> Outcome {
    refuse_if!(from.is_null(), Cause::Null("ptr"));
    set_parameter(function, offset, unsafe { std::slice::from_raw_parts(from.cast(), bytes as usize) })
}

/// `cuLaunch`, `cuLaunchGrid`, `cuLaunchGridAsync`
pub fn launch_grid(function: Raw, width: c_int, height: c_int, stream: Raw) -> Outcome {
    let grid = [extent("grid_width", width)?, extent("grid_height", height)?, 1];
    let Prepared { block, dynamic_shared_bytes, parameters: mut packed } = {
        let driver = state::lock();
        driver.current()?;
        driver.functions.get(function as usize)?.prepared.clone()
    };
    let mut length = packed.len();
    // The packed buffer's address, its length, the end.
    let mut extra: [*mut c_void; 5] =
        [1 as Raw, packed.as_mut_ptr().cast(), 2 as Raw, (&raw mut length).cast(), null_mut()];
    let extra = extra.as_mut_ptr();
    let request = LaunchRequest {
        function,
        grid,
        block,
        dynamic_shared_bytes,
        cooperative: false,
        overlaps: false,
        cluster: None,
        parameters: null_mut(),
        extra,
    };
    // SAFETY: the list is as the interface defines it, and its buffer has the length that it says.
    unsafe { launch(request, stream) }
}

cuda::forward_libraries!(forward);
