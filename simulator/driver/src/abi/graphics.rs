//! Names by which programs share memory with OpenGL, EGL and VDPAU. There is none of them beside a simulated card, so that no thread has a
//! context of theirs, and the functions answer what a card's driver answers then. On an H200 in a machine without any of them
//! `cuGLGetDevices` and `cuGraphicsGLRegisterBuffer` answer "operating system", and `cuGraphicsEGLRegisterImage` "unknown"; the other names
//! of OpenGL and EGL are taken to answer alike. VDPAU's entry ended the program that asked, so that its names keep what the interface's manual
//! has: "invalid OpenGL or DirectX context". Bindings look these names up at their start, and some give up where one is missing.
#![allow(non_snake_case)]
use crate::abi::absent::absent;
use crate::abi::surface;
use crate::interface::{Cause, forward};
use cuda::CUresult;

fn without_context(name: &'static str) -> CUresult {
    surface::call(name, &mut || Err(Cause::NoGraphics(answer(name))))
}

/// The answer of a card's driver to a name where there are no graphics.
fn answer(name: &str) -> CUresult {
    if name.contains("EGL") || name.contains("Egl") {
        CUresult::CUDA_ERROR_UNKNOWN
    } else if name.contains("VDPAU") {
        CUresult::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT
    } else {
        CUresult::CUDA_ERROR_OPERATING_SYSTEM
    }
}

cuda::names_of_graphics!(absent; without_context);

cuda::forward_graphics!(forward);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::{exports, lookup};

    /// By name with a version, as Warp looks them up; Dr.Jit takes the exported symbols.
    #[test]
    fn names_of_graphics_are_found_and_have_no_context() {
        for name in [c"cuGraphicsGLRegisterBuffer", c"cuGLGetDevices", c"cuVDPAUCtxCreate"] {
            let (mut found, mut status) = (std::ptr::null_mut(), 7);
            // SAFETY: a text that ends in NUL, and places for the results.
            let asked =
                unsafe { lookup::proc_address(exports::EXPORTED, name.as_ptr(), &mut found, 13000, 0, &mut status) };
            asked.expect("it answers");
            assert_eq!((found.is_null(), status), (false, 0), "{name:?}");
        }
        // On an H200 without a display: 304, 304 and 999.
        assert_eq!(cuGraphicsGLRegisterBuffer(), CUresult::CUDA_ERROR_OPERATING_SYSTEM);
        assert_eq!(cuGLGetDevices(), CUresult::CUDA_ERROR_OPERATING_SYSTEM);
        assert_eq!(cuGraphicsEGLRegisterImage(), CUresult::CUDA_ERROR_UNKNOWN);
        assert_eq!(cuGraphicsResourceGetMappedEglFrame(), CUresult::CUDA_ERROR_UNKNOWN);
        assert_eq!(cuVDPAUGetDevice(), CUresult::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
        // SAFETY: it looks at no argument.
        let unregistered = unsafe { exports::cuGraphicsMapResources(0, std::ptr::null_mut(), std::ptr::null_mut()) };
        assert_eq!(unregistered, CUresult::CUDA_ERROR_INVALID_HANDLE);
    }
}
