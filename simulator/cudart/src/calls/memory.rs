//! Memory of the device, of the host, and of both.
use crate::context::{answer, device, enter};
use crate::driver::Raw;
use crate::interface::out;
use crate::layout::{Extent, Pitched, PointerAttributes};
use crate::status::{Failure, INVALID_VALUE, Outcome};
use std::ffi::{c_int, c_uint};
use std::ptr::null_mut;

/// `cudaMalloc`: nothing is no error, and no memory.
pub unsafe fn malloc(pointer: *mut Raw, bytes: usize) -> Outcome {
    unsafe { answer(pointer, |driver, made| if bytes > 0 { driver.cuMemAlloc_v2(made.cast(), bytes) } else { Ok(()) }) }
}

/// `cudaMallocHost`, `cudaHostAlloc`: the flags are the driver's.
pub unsafe fn host_alloc(pointer: *mut Raw, bytes: usize, flags: c_uint) -> Outcome {
    unsafe {
        answer(pointer, |driver, made| if bytes > 0 { driver.cuMemHostAlloc(made, bytes, flags) } else { Ok(()) })
    }
}

/// Rows begin at multiples of what the widest access of the device asks.
const WIDEST_ELEMENT_BYTES: c_uint = 16;

/// `cudaMallocPitch`
pub unsafe fn pitch(pointer: *mut Raw, pitch: *mut usize, width: usize, height: usize) -> Outcome {
    let (mut address, mut found) = (0, 0);
    // SAFETY: places for two numbers, then the caller's pointers.
    unsafe {
        enter()?.0.cuMemAllocPitch_v2(&mut address, &mut found, width, height, WIDEST_ELEMENT_BYTES)?;
        out(pitch, found)?;
        out(pointer, address as Raw)
    }
}

/// `cudaMalloc3D`
pub unsafe fn malloc_3d(pointer: *mut Pitched, extent: Extent) -> Outcome {
    let rows = extent.height.checked_mul(extent.depth).ok_or(INVALID_VALUE)?;
    let (mut address, mut found) = (null_mut(), 0);
    // SAFETY: places for two numbers, then the caller's pointer.
    unsafe {
        pitch(&mut address, &mut found, extent.width, rows)?;
        out(pointer, Pitched { pointer: address, pitch: found, width: extent.width, height: extent.height })
    }
}

/// `cudaMallocAsync`, and from a pool `cudaMallocFromPoolAsync`
pub unsafe fn malloc_async(pointer: *mut Raw, bytes: usize, pool: Option<Raw>, stream: Raw) -> Outcome {
    unsafe {
        answer(pointer, |driver, made| match pool {
            Some(pool) => driver.cuMemAllocFromPoolAsync(made.cast(), bytes, pool, stream),
            None => driver.cuMemAllocAsync(made.cast(), bytes, stream),
        })
    }
}

/// `cudaPointerGetAttributes`: an address that CUDA does not know is an answer, not an error.
pub unsafe fn attributes(to: *mut PointerAttributes, pointer: Raw) -> Outcome {
    const MEMORY_TYPE: c_uint = 2;
    const DEVICE_POINTER: c_uint = 3;
    const HOST_POINTER: c_uint = 4;
    const IS_MANAGED: c_uint = 8;
    const DEVICE_ORDINAL: c_uint = 9;
    const OF_HOST: c_uint = 1;
    let driver = enter()?.0;
    let ask = |attribute: c_uint| -> Result<u64, Failure> {
        let mut value = 0u64;
        // SAFETY: a place for the widest of them.
        unsafe { driver.cuPointerGetAttribute((&raw mut value).cast(), attribute, pointer as u64) }.map(|()| value)
    };
    let found = match ask(MEMORY_TYPE) {
        Err(_) => {
            PointerAttributes { kind: 0, device: UNKNOWN_DEVICE, device_pointer: null_mut(), host_pointer: pointer }
        }
        Ok(memory) => {
            let is_managed = ask(IS_MANAGED)? as u32 & 1 == 1;
            PointerAttributes {
                kind: if is_managed { 3 } else { memory as u32 as c_int },
                device: ask(DEVICE_ORDINAL).map_or_else(|_| device(), |ordinal| Ok(ordinal as c_int))?,
                device_pointer: ask(DEVICE_POINTER).map_or(null_mut(), |address| address as Raw),
                host_pointer: if is_managed || memory as u32 == OF_HOST {
                    ask(HOST_POINTER).map_or(null_mut(), |address| address as Raw)
                } else {
                    null_mut()
                },
            }
        }
    };
    unsafe { out(to, found) }
}

/// Attributes of memory that no device knows.
const UNKNOWN_DEVICE: c_int = -2;

/// `cudaMemLocation`, by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemoryLocation {
    kind: c_int,
    id: c_int,
}

impl MemoryLocation {
    /// As the calls that know devices only write it: −1 is the host.
    pub fn device(self) -> c_int {
        const DEVICE: c_int = 1;
        if self.kind == DEVICE { self.id } else { -1 }
    }
}
