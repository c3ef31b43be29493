//! A thread whose value is 0 has no logarithm, and takes 0.
// launch: grid 1 block 32
// arg: int out[32] = zeros
// arg: int input[32] = iota
#![no_std]
#![feature(abi_ptx, stdarch_nvptx)]
use core::arch::nvptx::_thread_idx_x;
include!("../panic.rs");

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn logarithms(out: *mut u32, input: &[u32; 32]) {
    let x = unsafe { _thread_idx_x() } as usize;
    let small = u8::try_from(input[x]).expect("a small one");
    let logarithm = small.checked_ilog2().unwrap_or(0);
    unsafe { *out.add(x) = logarithm };
}
