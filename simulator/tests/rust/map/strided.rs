//! A saxpy by iterators: each thread of a grid takes every element that is as many threads further.
// launch: grid 2 block 64
// arg: float out[300] = iota
// arg: float input[300] = iota
// arg: long n = 300
#![no_std]
#![feature(abi_ptx, stdarch_nvptx)]
use core::arch::nvptx::{_block_dim_x, _block_idx_x, _grid_dim_x, _thread_idx_x};
include!("../panic.rs");

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn saxpy(out: *mut f32, input: *const f32, n: usize) {
    let (block, threads) = unsafe { (_block_idx_x() as usize, _block_dim_x() as usize) };
    let first = block * threads + unsafe { _thread_idx_x() } as usize;
    let all = threads * unsafe { _grid_dim_x() } as usize;
    for (i, x) in unsafe { core::slice::from_raw_parts(input, n) }.iter().enumerate().skip(first).step_by(all) {
        unsafe { *out.add(i) += 3.0 * x };
    }
}
