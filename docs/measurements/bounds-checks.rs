//! The kernels of `bounds-checks.cu` in Rust, with bounds checks, or without them by `--cfg unchecked`.
#![no_std]
#![feature(abi_ptx, stdarch_nvptx)]
use core::arch::nvptx::{_block_dim_x, _block_idx_x, _thread_idx_x};
use core::slice::from_raw_parts;

include!("../../simulator/tests/rust/panic.rs");

fn at<T: Copy>(slice: &[T], i: usize) -> T {
    if cfg!(unchecked) { unsafe { *slice.get_unchecked(i) } } else { slice[i] }
}

macro_rules! kernels {
    ($($name:ident |$x:ident, $order:ident, $i:ident| $value:expr;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $name(out: *mut f32, x: *const f32, order: *const u32, n: usize, length: usize) {
            let $i = unsafe { _block_idx_x() * _block_dim_x() + _thread_idx_x() } as usize;
            let ($x, $order) = unsafe { (from_raw_parts(x, length), from_raw_parts(order, n)) };
            if $i < n {
                unsafe { *out.add($i) = $value };
            }
        }
    )*};
}
kernels! {
    scale |x, _order, i| 3.0 * at(x, i);
    stencil |x, _order, i| at(x, i) + at(x, i + 1) + at(x, i + 2);
    gather |x, order, i| at(x, at(order, i) as usize);
    column |x, order, i| (0..64).map(|row| at(x, row * order.len() + i)).sum();
}
