//! cuBLAS as the yardstick, where a GPU and the library are there. Its absence is said, never an error.

use crate::device::Device;
use cudarc::cublas::CudaBlas;

/// [`open`] where it is wanted; what keeps it away becomes a note.
pub fn open_or_note(device: &Device, wanted: bool, notes: &mut Vec<String>) -> Option<CudaBlas> {
    wanted.then(|| open(device).map_err(|reason| notes.push(reason)).ok()).flatten()
}

/// A handle on the device's default stream, or the reason why there is none, ready to print as a note.
pub fn open(device: &Device) -> Result<CudaBlas, String> {
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
    CudaBlas::new(device.stream.clone()).map_err(|error| format!("no cuBLAS row: cuBLAS does not start ({error:?})"))
}
