//! A front of NVRTC: programs that ask for machine code or for intermediate code get PTX, whatever they read it with, and PTX with lines where
//! `sim` tells of them.
#![allow(unsafe_code, non_snake_case, reason = "the library's C surface")]
#![allow(clippy::missing_safety_doc, reason = "of the caller's pointers each call asks what NVRTC asks")]
use fronts::behind::Behind;
use fronts::options::{Compiler, Options};
use fronts::{calls, forwards, lines};
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
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

/// `NVRTC_ERROR_INVALID_INPUT`
const INVALID_INPUT: c_int = 3;

/// The name of a program that was given none.
const UNNAMED: &CStr = c"default_program";

/// The requests to a program, by its handle, and its name and source where lines are wanted.
#[derive(Clone, Default)]
struct Asked {
    machine_code: bool,
    intermediate_code: bool,
    source: Option<(CString, CString)>,
}

fn programs() -> MutexGuard<'static, BTreeMap<usize, Asked>> {
    static PROGRAMS: Mutex<BTreeMap<usize, Asked>> = Mutex::new(BTreeMap::new());
    PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn asked(program: Program) -> Asked {
    programs().get(&(program as usize)).cloned().unwrap_or_default()
}

/// `nvrtcCreateProgram`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcCreateProgram(
    program: *mut Program,
    source: *const c_char,
    name: *const c_char,
    count: c_int,
    headers: *const *const c_char,
    names: *const *const c_char,
) -> c_int {
    // SAFETY: the arguments are as this function's caller has to give them; of a program that NVRTC has made, the texts are there.
    unsafe {
        let code = calls!(BEHIND, nvrtcCreateProgram(program: *mut Program, source: *const c_char, name: *const c_char,
            count: c_int, headers: *const *const c_char, names: *const *const c_char) -> c_int);
        if code == Some(0) && lines::folder().is_some() {
            let name = if name.is_null() || name.read() == 0 { UNNAMED } else { CStr::from_ptr(name) };
            let source = Some((name.to_owned(), CStr::from_ptr(source).to_owned()));
            programs().insert(program.read() as usize, Asked { source, ..Asked::default() });
        }
        code.unwrap_or(INTERNAL_ERROR)
    }
}

/// `nvrtcCompileProgram`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcCompileProgram(program: Program, count: c_int, options: *const *const c_char) -> c_int {
    // SAFETY: the caller's array.
    let changed = unsafe { Options::read(count, options, Compiler::Nvrtc) };
    changed.say("nvrtcCompileProgram");
    let Options { machine_code, intermediate_code, .. } = changed;
    let known = Asked { machine_code, intermediate_code, ..asked(program) };
    programs().insert(program as usize, known);
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

/// The PTX of a program, with the NUL at its end, or NVRTC's error. Where lines are wanted, its source lies in a file.
fn ptx(program: Program) -> Result<Vec<u8>, c_int> {
    let mut text = Vec::new();
    let is_done = |code: Option<c_int>| code.filter(|code| *code == 0).ok_or(code.unwrap_or(INTERNAL_ERROR));
    let mut bytes = 0usize;
    let to: *mut usize = &mut bytes;
    // SAFETY: the caller's program, and a place for a number; then as much room as it says.
    is_done(unsafe { calls!(BEHIND, nvrtcGetPTXSize(program: Program, to: *mut usize) -> c_int) })?;
    text.resize(bytes, 0u8);
    let to: *mut c_char = text.as_mut_ptr().cast();
    // SAFETY: as above.
    is_done(unsafe { calls!(BEHIND, nvrtcGetPTX(program: Program, to: *mut c_char) -> c_int) })?;
    Ok(match (lines::folder(), asked(program).source, String::from_utf8(text)) {
        (Some(folder), Some((name, source)), Ok(text)) => {
            lines::with_kept_source(text, &name.to_string_lossy(), source.to_bytes(), &folder).into_bytes()
        }
        (.., text) => text.map_or_else(|error| error.into_bytes(), String::into_bytes),
    })
}

/// Functions that answer PTX: its size, and the text.
macro_rules! as_ptx {
    ($($size:ident $get:ident if $is_asked:expr;)*) => {
        $(
            /// As NVRTC answers it, but of the PTX where that is what the program became.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $size(program: Program, to: *mut usize) -> c_int {
                // SAFETY: the caller keeps the contract of the function of that name.
                unsafe {
                    answer(program, $is_asked, to, |ptx| to.write(ptx.len()))
                        .unwrap_or_else(|| calls!(BEHIND, $size(program: Program, to: *mut usize) -> c_int).unwrap_or(INTERNAL_ERROR))
                }
            }

            /// As NVRTC answers it, but PTX where that is what the program became.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $get(program: Program, to: *mut c_char) -> c_int {
                // SAFETY: as above; there is room for the PTX, since its size was asked for in the same way.
                unsafe {
                    answer(program, $is_asked, to, |ptx| to.cast::<u8>().copy_from_nonoverlapping(ptx.as_ptr(), ptx.len()))
                        .unwrap_or_else(|| calls!(BEHIND, $get(program: Program, to: *mut c_char) -> c_int).unwrap_or(INTERNAL_ERROR))
                }
            }
        )*
    };
}

/// Hands the PTX of a program on where that is the answer; `None`: NVRTC has another.
fn answer<T>(program: Program, is_asked: fn(&Asked) -> bool, to: *mut T, write: impl FnOnce(&[u8])) -> Option<c_int> {
    is_asked(&asked(program)).then(|| match ptx(program) {
        _ if to.is_null() => INVALID_INPUT,
        Ok(ptx) => {
            write(&ptx);
            0
        }
        Err(code) => code,
    })
}

as_ptx! {
    nvrtcGetPTXSize nvrtcGetPTX if |_| true;
    nvrtcGetCUBINSize nvrtcGetCUBIN if |asked| asked.machine_code;
    nvrtcGetLTOIRSize nvrtcGetLTOIR if |asked| asked.intermediate_code;
}

cuda::nvrtc!(forwards; BEHIND);
