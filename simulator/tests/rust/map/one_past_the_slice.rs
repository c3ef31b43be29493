//! Each thread doubles an element through a raw pointer and stores it one further: the last one stores past the end.
// launch: grid 1 block 64
// arg: float out[64]
// arg: float input[64] = iota
// finds: out of bounds
#![no_std]
#![feature(abi_ptx, stdarch_nvptx)]
use core::arch::nvptx::_thread_idx_x;
include!("../panic.rs");

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn double(out: *mut f32, input: *const f32) {
    let x = unsafe { _thread_idx_x() } as usize;
    unsafe { *out.add(x + 1) = 2.0 * *input.add(x) };
}
