//! A histogram whose bins are atomics.
// launch: grid 2 block 64
// arg: int bins[16] = zeros
// arg: int values[128] = iota
#![no_std]
#![feature(abi_ptx, stdarch_nvptx)]
use core::arch::nvptx::{_block_dim_x, _block_idx_x, _thread_idx_x};
use core::sync::atomic::{AtomicU32, Ordering};
include!("../panic.rs");

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn histogram(bins: &[AtomicU32; 16], values: *const u32) {
    let x = unsafe { _block_idx_x() * _block_dim_x() + _thread_idx_x() } as usize;
    let bin = unsafe { *values.add(x) } as usize % 16;
    bins[bin].fetch_add(1, Ordering::Relaxed);
}
