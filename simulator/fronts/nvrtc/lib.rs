//! A front of NVRTC: programs that ask for machine code or for intermediate code get PTX, whatever they read it with.
#![allow(unsafe_code, non_snake_case, reason = "the library's C surface")]
#![allow(clippy::missing_safety_doc, reason = "of the caller's pointers each call asks what NVRTC asks")]
use fronts::behind::Behind;
use fronts::options::{Compiler, Options};
use fronts::{calls, forwards};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// This file is two packages, one for each version.
const NAME: &CStr = match env!("CARGO_PKG_NAME").as_bytes() {
    b"nvrtc-12" => c"behind-libnvrtc.so.12",
    b"nvrtc-13" => c"behind-libnvrtc.so.13",
    _ => panic!("no library is behind this package"),
};

static BEHIND: Behind = Behind::new(NAME);

type Program = *mut c_void;

/// `NVRTC_ERROR_INTERNAL_ERROR`: NVRTC is not there, or lacks the function.
const INTERNAL_ERROR: c_int = 11;

/// The requests to a program, by its handle.
#[derive(Clone, Copy, Default)]
struct Asked {
    machine_code: bool,
    intermediate_code: bool,
}

fn programs() -> MutexGuard<'static, BTreeMap<usize, Asked>> {
    static PROGRAMS: Mutex<BTreeMap<usize, Asked>> = Mutex::new(BTreeMap::new());
    PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn asked(program: Program) -> Asked {
    programs().get(&(program as usize)).copied().unwrap_or_default()
}

/// `nvrtcCompileProgram`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcCompileProgram(program: Program, count: c_int, options: *const *const c_char) -> c_int {
    // SAFETY: the caller's array.
    let changed = unsafe { Options::read(count, options, Compiler::Nvrtc) };
    changed.say("nvrtcCompileProgram");
    let Options { machine_code, intermediate_code, .. } = changed;
    programs().insert(program as usize, Asked { machine_code, intermediate_code });
    let pointers = changed.pointers();
    let (count, options) = (pointers.len() as c_int, pointers.as_ptr());
    // SAFETY: the caller's program, and an array of as many texts, which live until the call is over.
    unsafe {
        calls!(BEHIND, nvrtcCompileProgram(program: Program, count: c_int, options: *const *const c_char) -> c_int)
            .unwrap_or(INTERNAL_ERROR)
    }
}

/// `nvrtcDestroyProgram`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcDestroyProgram(program: *mut Program) -> c_int {
    if !program.is_null() {
        // SAFETY: the caller's place for a handle.
        programs().remove(&(unsafe { program.read() } as usize));
    }
    // SAFETY: the pointer is as this function's caller has to give it.
    unsafe { calls!(BEHIND, nvrtcDestroyProgram(program: *mut Program) -> c_int).unwrap_or(INTERNAL_ERROR) }
}

/// Functions that answer PTX for a program of which something else was asked.
macro_rules! as_ptx {
    ($($name:ident / $ptx:ident($to:ty) if $asked:ident;)*) => {
        $(
            /// As NVRTC answers it, but PTX where that is what the program became.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(program: Program, to: $to) -> c_int {
                // SAFETY: the caller keeps the contract of the function of that name, to which the arguments go as they are; its place has room
                // for the PTX, since it asked for the size in the same way.
                unsafe {
                    if asked(program).$asked {
                        calls!(BEHIND, $ptx(program: Program, to: $to) -> c_int).unwrap_or(INTERNAL_ERROR)
                    } else {
                        calls!(BEHIND, $name(program: Program, to: $to) -> c_int).unwrap_or(INTERNAL_ERROR)
                    }
                }
            }
        )*
    };
}

as_ptx! {
    nvrtcGetCUBINSize / nvrtcGetPTXSize(*mut usize) if machine_code;
    nvrtcGetCUBIN / nvrtcGetPTX(*mut c_char) if machine_code;
    nvrtcGetLTOIRSize / nvrtcGetPTXSize(*mut usize) if intermediate_code;
    nvrtcGetLTOIR / nvrtcGetPTX(*mut c_char) if intermediate_code;
}

cuda::nvrtc!(forwards; BEHIND);
