//! A gather that asks by `get`: the thread whose element is missing takes another value.
// launch: grid 1 block 64
// arg: int out[64] = zeros
// arg: int order[64] = iota
// arg: int values[63] = iota
#![no_std]
#![feature(abi_ptx, stdarch_nvptx)]
use core::arch::nvptx::_thread_idx_x;
include!("../panic.rs");

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn gather(out: *mut u32, order: &[u32; 64], values: &[u32; 63]) {
    let x = unsafe { _thread_idx_x() } as usize;
    let value = values.get(order[x] as usize).copied().unwrap_or(u32::MAX);
    unsafe { *out.add(x) = value };
}
