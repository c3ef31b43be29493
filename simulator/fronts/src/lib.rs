//! Fronts: what a program under `sim` gets in place of NVIDIA's run-time compilers and linkers.
//!
//! The simulator runs PTX. Programs that ask NVRTC or nvJitLink for machine code (`sm_90`), or for intermediate code to link
//! later (`-dlto`), would hold what no simulator can run. So each of these libraries has a front that answers PTX there: the
//! packages `nvrtc-12` and `nvrtc-13` (`nvrtc/`), `nvJitLink-12` and `nvJitLink-13` (`nvjitlink/`), `nvvm-4` (`nvvm/`). A front
//! passes on what it does not change to the library behind it; nvJitLink's links by the simulator's own linker.
//! `LABS_SIM_LOG=1` says what a front changes.
//!
//! Programs find these libraries in many ways: by name, by the path of a Python wheel, linked in, and then by handle or in the
//! global scope. The loader's own interface for auditors sees all of them, so `front-audit` (`audit/`) has the loader open a
//! front wherever it would open the library: a front stands only where NVIDIA's library is there. In the same way the project's
//! runtime library stands in place of one that a path leads to, and its functions in place of those of one that is linked in. A folder of links in front
//! (`LD_LIBRARY_PATH`), as `sim` has it for the driver, misses paths; preloaded functions (`LD_PRELOAD`) miss handles.
#![allow(unsafe_code, reason = "functions of other libraries are called by their C signatures")]

pub mod behind;
pub mod lines;
pub mod options;

/// Says what a front does, if `LABS_SIM_LOG` asks for it.
pub fn say(what: &dyn Fn() -> String) {
    if std::env::var_os("LABS_SIM_LOG").is_some_and(|value| !value.is_empty() && value != "0") {
        eprintln!("[sim] {}", what());
    }
}
