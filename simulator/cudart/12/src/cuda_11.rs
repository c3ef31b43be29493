//! Functions that CUDA 11.8 has otherwise than CUDA 12, for programs that have its runtime library linked in: some are built by `nvcc` 12 and linked
//! with the older library. Where a function has the same name and other arguments or another layout, the one of 11.8 ends in `_v11` here;
//! the loader's auditor leads calls of such a program to it (`fronts/audit/src/object.rs`). No library asks for these names by itself.
use cuda::layout::{Raw, UpdateResult, ViewDescriptor};
use cuda::refuse_if;
use cudart::calls::{device, function, graph, properties, texture};
use cudart::context::enter;
use cudart::exports;
use cudart::interface::{out, out_if_wanted};
use cudart::layout::{FunctionAttributes, RuntimeResource, RuntimeTexture};
use cudart::status::{INVALID_VALUE, Outcome};
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::mem::offset_of;
use std::ptr::null_mut;

/// The version whose interface this is: 11.8.
const VERSION: c_int = 11080;

/// Bytes of `cudaFuncAttributes`, which ends before what clusters ask, and of `cudaTextureDesc`, which has no seamless cubes.
const FUNCTION_BYTES: usize = offset_of!(FunctionAttributes, rest) + 7 * size_of::<c_int>();
const TEXTURE_BYTES: usize = offset_of!(RuntimeTexture, is_seamless_cube);

cuda::cudart_11!(exports);

/// Writes the first bytes of a struct that is longer in CUDA 12.
unsafe fn out_part<T>(to: *mut c_void, found: &T, bytes: usize) -> Outcome {
    refuse_if!(to.is_null(), INVALID_VALUE);
    // SAFETY: the caller's place has so many bytes, and the struct is longer.
    unsafe { to.cast::<u8>().copy_from_nonoverlapping(std::ptr::from_ref(found).cast(), bytes) };
    Ok(())
}

unsafe fn attributes(to: *mut c_void, kernel: *const c_void) -> Outcome {
    let mut found = FunctionAttributes::default();
    // SAFETY: a place for the struct, then the caller's promise.
    unsafe {
        function::attributes(&mut found, kernel)?;
        out_part(to, &found, FUNCTION_BYTES)
    }
}

/// Until CUDA 12 it told of the node that was wrong, and why in words. The driver tells neither, so both places are left empty.
unsafe fn instantiate(
    executable: *mut Raw,
    graph: Raw,
    node: *mut Raw,
    (words, room): (*mut c_char, usize),
) -> Outcome {
    // SAFETY: the caller's places, which may be null.
    unsafe {
        out_if_wanted(node, null_mut());
        if !words.is_null() && room > 0 {
            words.write(0);
        }
        graph::instantiate(executable, graph, 0)
    }
}

unsafe fn update(executable: Raw, graph: Raw, node: *mut Raw, result: *mut c_uint) -> Outcome {
    let mut found = UpdateResult { result: 0, error_node: null_mut(), error_from_node: null_mut() };
    // SAFETY: a place for the answer, and the caller's places, which may be null.
    unsafe {
        let answer = enter()?.0.cuGraphExecUpdate_v2(executable, graph, &mut found);
        out_if_wanted(node, found.error_node);
        out_if_wanted(result, found.result);
        answer
    }
}

unsafe fn create_texture(
    object: *mut u64,
    resource: *const RuntimeResource,
    descriptor: *const c_void,
    view: *const ViewDescriptor,
) -> Outcome {
    refuse_if!(descriptor.is_null(), INVALID_VALUE);
    // SAFETY: numbers, of which all may be zero; the caller's struct has so many bytes; the other pointers are the caller's.
    unsafe {
        let mut texture = std::mem::zeroed::<RuntimeTexture>();
        std::ptr::from_mut(&mut texture).cast::<u8>().copy_from_nonoverlapping(descriptor.cast(), TEXTURE_BYTES);
        texture::create_texture(object, resource, &texture, view)
    }
}

unsafe fn texture_of(to: *mut c_void, object: u64) -> Outcome {
    // SAFETY: numbers, of which all may be zero; a place for the struct, and the caller's, which has so many bytes.
    unsafe {
        let mut found = std::mem::zeroed::<RuntimeTexture>();
        texture::texture_of(&mut found, object)?;
        out_part(to, &found, TEXTURE_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the headers of CUDA 11.8: `reserved` fields are none, so the last field ends the struct but for what fills it up.
    #[test]
    fn layouts_are_those_of_the_headers() {
        assert_eq!((FUNCTION_BYTES, FUNCTION_BYTES.next_multiple_of(8)), (52, 56));
        assert_eq!(TEXTURE_BYTES, 68);
    }
}
