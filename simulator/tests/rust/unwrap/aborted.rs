//! A thread whose number has no name gives up the launch.
// launch: grid 1 block 32
// arg: int out[32] = zeros
// finds: trap
#![no_std]
#![feature(abi_ptx, core_intrinsics, stdarch_nvptx)]
include!("../panic.rs");

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn names(out: *mut u32) {
    let x = unsafe { core::arch::nvptx::_thread_idx_x() };
    let name = if x < 26 { b'a' + x as u8 } else { core::intrinsics::abort() };
    unsafe { *out.add(x as usize) = name.into() };
}
