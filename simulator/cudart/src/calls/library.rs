//! Libraries: images that a program loads itself.
use crate::context::enter;
use crate::driver::Raw;
use crate::interface::out;
use crate::registry;
use crate::status::Outcome;
use std::ffi::{c_char, c_uint};
use std::ptr::null_mut;

/// Options of the compiler and of the library: names, values, how many.
pub type Options = (Raw, *mut Raw, c_uint);

/// `cudaLibraryLoadData`, and with `is_path` `cudaLibraryLoadFromFile`. The options are the driver's.
pub unsafe fn load(library: *mut Raw, from: Raw, is_path: bool, compiler: Options, own: Options) -> Outcome {
    let driver = enter()?.0;
    let ((names, values, count), (own_names, own_values, own_count)) = (compiler, own);
    let (mut made, names, own_values) = (null_mut(), names.cast(), own_values.cast());
    // SAFETY: the caller's image or text and its options, then the caller's pointer.
    unsafe {
        if is_path {
            let path = from.cast_const().cast();
            driver.cuLibraryLoadFromFile(&mut made, path, names, values, count, own_names, own_values, own_count)?;
        } else {
            driver.cuLibraryLoadData(&mut made, from, names, values, count, own_names, own_values, own_count)?;
        }
        out(library, made)
    }
}

/// `cudaLibraryGetKernel`
pub unsafe fn kernel(kernel: *mut Raw, library: Raw, name: *const c_char) -> Outcome {
    let mut found = null_mut();
    // SAFETY: a place for a handle, the caller's text, then the caller's pointer.
    unsafe {
        enter()?.0.cuLibraryGetKernel(&mut found, library, name)?;
        registry::given(found);
        out(kernel, found)
    }
}

/// `cudaLibraryEnumerateKernels`
pub unsafe fn enumerate(kernels: *mut Raw, count: c_uint, library: Raw) -> Outcome {
    // SAFETY: the caller's array holds `count`.
    unsafe {
        enter()?.0.cuLibraryEnumerateKernels(kernels, count, library)?;
        for at in 0..count as usize {
            registry::given(kernels.add(at).read());
        }
    }
    Ok(())
}
