//! Types of the functions that the simulated driver exports beyond CUDA's interface, for libraries that call them. A driver that lacks them is
//! not the simulator.
use core::ffi::{c_char, c_void};

/// One input of a link.
#[repr(C)]
#[derive(Debug)]
pub struct LinkInput {
    /// Ends in NUL.
    pub name: *const c_char,
    /// `CUjitInputType`
    pub kind: u32,
    /// The text or the image.
    pub data: *const c_void,
    /// Bytes of `data`.
    pub bytes: usize,
}

/// `labs_sim_link`: inputs and their number, the compute capability as `.target` counts it, registers a thread at most, and a place for the
/// result. The answer is the linked PTX where the result is 0, else why not.
pub type Link = unsafe extern "C" fn(*const LinkInput, usize, u32, u32, *mut u32) -> *mut c_char;
/// `labs_sim_free`: frees what another of these functions answered.
pub type Free = unsafe extern "C" fn(*mut c_char);
/// The function that `labs_sim_place` takes: it makes bytes of a range from a seed, the offset of the first, a place for them, and their number.
pub type Fill = unsafe extern "C" fn(u64, u64, *mut u8, u64);

/// Bytes that an operation touches which the host computes, as `labs_sim_answered` takes them.
#[repr(C)]
#[derive(Debug)]
pub struct Range {
    /// The first one.
    pub address: u64,
    /// How many.
    pub bytes: u64,
    /// 0: they are read.
    pub is_written: u32,
    /// Not 0: they should have been written before.
    pub is_checked: u32,
}
