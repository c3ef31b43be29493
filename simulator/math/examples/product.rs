//! Multiplies two matrices by the library's own functions, as `cublasDgemm` does.
#![allow(unsafe_code)]

use math::device::{enter, read_back};
use math::failure::Failure;
use math::handle::{create, destroy};
use math::product::{Columns, ONE, Types, gemm};
use std::ptr::null_mut;

fn main() {
    if let Err(failure) = product() {
        eprintln!("{failure:?}; next: just sim target/debug/examples/product");
        std::process::exit(1);
    }
}

fn product() -> Result<(), Failure> {
    let (driver, _) = enter()?;
    // Column by column: A is [1 3; 2 4], B is [5 7; 6 8].
    let (a, b, mut c) = ([1f64, 2.0, 3.0, 4.0], [5f64, 6.0, 7.0, 8.0], [0f64; 4]);
    let (mut on_device, mut handle) = ([0u64; 3], null_mut());
    // SAFETY: matrices of four numbers on both sides, and places for addresses and a handle.
    unsafe {
        for address in &mut on_device {
            driver.cuMemAlloc_v2(address, 32)?;
        }
        driver.cuMemcpyHtoD_v2(on_device[0], a.as_ptr().cast(), 32)?;
        driver.cuMemcpyHtoD_v2(on_device[1], b.as_ptr().cast(), 32)?;
        create(&mut handle)?;
        let matrices = on_device.map(|address| Columns(address as *const _, 2, 0));
        let (alpha, beta) = (1f64, 0f64);
        let factors = [(&raw const alpha).cast(), (&raw const beta).cast()];
        gemm(handle, Types::all::<f64>(), [0, 0], [2, 2, 2], factors, matrices, ONE)?;
        read_back(c.as_mut_ptr().cast(), on_device[2], 32, null_mut())?;
    }
    println!("[{} {}; {} {}]", c[0], c[2], c[1], c[3]);
    destroy(handle)
}
