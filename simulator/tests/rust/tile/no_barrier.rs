//! A transpose through a tile in shared memory, whose threads read it before all have written it.
// launch: grid 1 block 16 16
// arg: float out[256]
// arg: float input[256] = iota
// finds: race
#![no_std]
#![feature(abi_ptx, asm_experimental_arch, stdarch_nvptx)]
use core::arch::nvptx::{_thread_idx_x, _thread_idx_y};
include!("../tile.rs");

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn transpose(out: *mut f32, input: *const f32) {
    let (x, y) = unsafe { (_thread_idx_x() as usize, _thread_idx_y() as usize) };
    let tile = tile();
    unsafe {
        (*tile)[y][x] = *input.add(y * EDGE + x);
        *out.add(y * EDGE + x) = (*tile)[x][y];
    }
}
