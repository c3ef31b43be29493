//! A thread whose value is 0 has no logarithm. `unwrap` is inlined, and the handler keeps the line of its call.
// launch: grid 1 block 32
// arg: int out[32] = zeros
// arg: int input[32] = iota
// finds: panic
#![no_std]
#![feature(abi_ptx, stdarch_nvptx)]
use core::arch::nvptx::{_thread_idx_x, trap};

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    core::hint::black_box(info.location());
    unsafe { trap() }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn logarithms(out: *mut u32, input: &[u32; 32]) {
    let x = unsafe { _thread_idx_x() } as usize;
    assert!(input[x] < 1000);
    let logarithm = input[x].checked_ilog2().unwrap();
    unsafe { *out.add(x) = logarithm };
}
