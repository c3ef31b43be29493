//! cuBLAS as the yardstick, where a GPU and the library are there. Its absence is said, never an error.

use crate::device::Device;
use crate::result::Note;
use anyhow::Context;
use cudarc::cublas::CudaBlas;
use cudarc::driver::{CudaSlice, DevicePtrMut};
use std::ops::Deref;

/// A handle with memory of its own to work in. Left to itself cuBLAS finds some for every call that needs any, which takes longer than
/// a small product, and cannot be part of a graph.
pub struct Yardstick {
    // Before the memory that it works in.
    blas: CudaBlas,
    _workspace: CudaSlice<f32>,
}

/// The size that cuBLAS' documentation recommends for Hopper, the most of any architecture.
const WORKSPACE_BYTES: usize = 32 << 20;

impl Deref for Yardstick {
    type Target = CudaBlas;

    fn deref(&self) -> &CudaBlas {
        &self.blas
    }
}

impl Yardstick {
    fn new(device: &Device) -> anyhow::Result<Self> {
        let blas = CudaBlas::new(device.stream.clone())?;
        let mut workspace = crate::matrix::allocate_device::<f32>(&device.stream, WORKSPACE_BYTES / size_of::<f32>())?;
        {
            let (pointer, _used) = workspace.device_ptr_mut(&device.stream);
            // SAFETY: the memory is that long, and lives as long as the handle.
            #[allow(unsafe_code)]
            let set = unsafe {
                cudarc::cublas::sys::cublasSetWorkspace_v2(*blas.handle(), pointer as *mut _, WORKSPACE_BYTES)
            };
            set.result().context("giving cuBLAS its memory")?;
        }
        Ok(Yardstick { blas, _workspace: workspace })
    }
}

/// [`open`] where it is wanted; what keeps it away becomes a note.
pub fn open_or_note(device: &Device, wanted: bool, notes: &mut Vec<Note>) -> Option<Yardstick> {
    wanted.then(|| open(device).map_err(|reason| notes.push(reason.into())).ok()).flatten()
}

/// A handle on the device's default stream, or the reason why there is none, ready to print as a note.
pub fn open(device: &Device) -> Result<Yardstick, String> {
    if device.facts.simulated {
        return Err("cuBLAS, the yardstick on a GPU, holds machine code, which the simulator does not run".to_owned());
    }
    // SAFETY: tries to load the library by its names; cuBLAS's initialisers are safe to run at any time.
    #[allow(unsafe_code)]
    let found = unsafe { cudarc::cublas::sys::is_culib_present() };
    if !found {
        return Err(
            "no cuBLAS row: libcublas.so is not on the loader's path (LD_LIBRARY_PATH can name its folder)".to_owned()
        );
    }
    Yardstick::new(device).map_err(|error| format!("no cuBLAS row: cuBLAS does not start ({error:?})"))
}
