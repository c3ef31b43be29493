//! A histogram whose threads add to the bins as if each were alone.
// launch: grid 2 block 64
// arg: int bins[16] = zeros
// arg: int values[128] = iota
// finds: race
#![no_std]
#![feature(abi_ptx, stdarch_nvptx)]
use core::arch::nvptx::{_block_dim_x, _block_idx_x, _thread_idx_x};
include!("../panic.rs");

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn histogram(bins: *mut u32, values: *const u32) {
    let x = unsafe { _block_idx_x() * _block_dim_x() + _thread_idx_x() } as usize;
    let bin = unsafe { *values.add(x) } as usize % 16;
    unsafe { *bins.add(bin) += 1 };
}
