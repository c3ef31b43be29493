//! A square that does not fit its type is an `Err`, which `expect` unwraps.
// launch: grid 1 block 32
// arg: int out[32] = zeros
// finds: panic
#![no_std]
#![feature(abi_ptx, stdarch_nvptx)]
include!("../panic.rs");

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn squares(out: *mut u32) {
    let x = unsafe { core::arch::nvptx::_thread_idx_x() };
    let square = u8::try_from(x * x).expect("a square below 256");
    unsafe { *out.add(x as usize) = square.into() };
}
