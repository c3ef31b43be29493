//! Linking with CUDA's device runtime, which launches kernels from kernels. A GPU's driver links; the simulated driver has the runtime's functions itself, and
//! takes the image as it is.

#![allow(unsafe_code)]

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null_mut;

use cudarc::driver::DriverError;
use cudarc::driver::sys::{self, CUjitInputType as Input};

use crate::discovery::device_runtime;
use crate::error::KernelError;
use crate::image::Image;

impl Image {
    /// The image with the device runtime in it, for the GPU whose context is current; the same image where nothing calls that.
    ///
    /// # Errors
    /// No `libcudadevrt.a` on this machine, an image that the driver does not link.
    pub fn linked(self) -> Result<Self, KernelError> {
        /// A launch from a kernel calls it.
        const CALL: &[u8] = b"__cudaCDP2LaunchDeviceV2";
        if !self.bytes.windows(CALL.len()).any(|part| part == CALL) {
            return Ok(self);
        }
        let refused = |reason: String| KernelError::DeviceRuntime { reason };
        let library = device_runtime().ok_or_else(|| {
            refused("it lies neither in a CUDA toolkit nor in Python's packages nor in .nvrtc/".to_owned())
        })?;
        let bytes = link(&self, &library).map_err(|error| refused(format!("{}: {error}", library.display())))?;
        Ok(Image { bytes: bytes.into(), ..self })
    }
}

fn link(image: &Image, library: &Path) -> Result<Vec<u8>, DriverError> {
    let kind = if image.ptx().is_some() { Input::CU_JIT_INPUT_PTX } else { Input::CU_JIT_INPUT_CUBIN };
    let library = CString::new(library.as_os_str().as_bytes()).unwrap_or_default();
    // PTX ends in NUL.
    let mut bytes = [image.bytes(), &[0]].concat();
    let (mut state, mut made, mut size) = (null_mut(), null_mut(), 0);
    // SAFETY: the bytes and the name outlive the link; what it makes is its own, and copied before it is destroyed.
    unsafe {
        sys::cuLinkCreate_v2(0, null_mut(), null_mut(), &raw mut state).result()?;
        let (none, values, name) = (null_mut(), null_mut(), c"kernels");
        let linked =
            sys::cuLinkAddData_v2(state, kind, bytes.as_mut_ptr().cast(), bytes.len(), name.as_ptr(), 0, none, values)
                .result()
                .and_then(|()| {
                    let kind = Input::CU_JIT_INPUT_LIBRARY;
                    sys::cuLinkAddFile_v2(state, kind, library.as_ptr(), 0, null_mut(), null_mut()).result()
                })
                .and_then(|()| sys::cuLinkComplete(state, &raw mut made, &raw mut size).result())
                .map(|()| std::slice::from_raw_parts(made.cast::<u8>(), size).to_vec());
        sys::cuLinkDestroy(state).result()?;
        linked
    }
}
