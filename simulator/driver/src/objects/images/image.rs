//! Images that modules are loaded from: PTX text, and the containers that nvcc puts it in.
use super::fat_binary::{self, CONTAINER, Fields};
use crate::interface::Cause;
use std::ffi::{CStr, c_void};

/// The caller's image as PTX text, for a card of this compute capability, as `.target` counts it (89).
///
/// # Safety
/// `image` points to NUL-terminated text, or to a container.
pub unsafe fn read_image(image: *const c_void, capability: u32) -> Result<String, Cause> {
    refuse_if!(image.is_null(), Cause::Null("image"));
    let bytes = image.cast::<u8>();
    // SAFETY: an image has at least the four bytes of a magic number, or ends within them with NUL.
    let magic: Vec<u8> = (0..4)
        .map(|i| unsafe { bytes.add(i).read() })
        .scan(true, |on, byte| {
            let keep = *on;
            *on &= byte != 0;
            keep.then_some(byte)
        })
        .collect();
    match magic.as_slice() {
        magic if is_machine_code(magic) => Err(Cause::NotPtx(MACHINE_CODE.to_owned())),
        magic if magic == CONTAINER => fat_binary::text_for_module(image as u64, capability),
        magic if magic == fat_binary::WRAPPER => fat_binary::text_for_module(wrapped(image as u64)?, capability),
        // SAFETY: text ends in NUL.
        _ => fat_binary::utf8(unsafe { CStr::from_ptr(image.cast()) }.to_bytes()),
    }
}

/// Why machine code alone is refused, and what to do.
pub const MACHINE_CODE: &str =
    "a CUBIN, machine code of one architecture. Compile to PTX (`nvcc -ptx`, or NVRTC with a compute_ architecture)";

/// True if bytes begin as machine code does.
pub fn is_machine_code(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

/// The container of the wrapper that nvcc makes: magic, version, a pointer to the container.
pub fn wrapped(wrapper: u64) -> Result<u64, Cause> {
    let container = Fields::read(wrapper, 16)?.number(8, 8)?;
    refuse_if!(Fields::read(container, 4)?.bytes != CONTAINER, Cause::BadImage("its wrapper points to something else"));
    Ok(container)
}
