//! A front of libNVVM: where intermediate code for a link is asked for (`-gen-lto`), the answer is PTX, which the front of
//! nvJitLink links.
#![allow(unsafe_code, non_snake_case, reason = "the library's C surface")]
#![allow(clippy::missing_safety_doc, reason = "of the caller's pointers each call asks what libNVVM asks")]
use fronts::behind::Behind;
use fronts::options::{Compiler, Options};
use fronts::{calls, forwards};
use std::ffi::{c_char, c_int, c_void};

static BEHIND: Behind = Behind::new(c"behind-libnvvm.so.4");

type Program = *mut c_void;

/// `NVVM_ERROR_INVALID_PROGRAM`: libNVVM is not there, or lacks the function; it has no code for this.
const INVALID_PROGRAM: c_int = 5;

/// Functions that take options.
macro_rules! with_options {
    ($($name:ident)*) => {
        $(
            /// As libNVVM answers it, to the changed options.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(program: Program, count: c_int, options: *const *const c_char) -> c_int {
                // SAFETY: the caller's array.
                let changed = unsafe { Options::read(count, options, Compiler::Nvvm) };
                changed.say(stringify!($name));
                let pointers = changed.pointers();
                let (count, options) = (pointers.len() as c_int, pointers.as_ptr());
                // SAFETY: the caller's program, and an array of as many texts, which live until the call is over.
                unsafe {
                    calls!(BEHIND, $name(program: Program, count: c_int, options: *const *const c_char) -> c_int)
                        .unwrap_or(INVALID_PROGRAM)
                }
            }
        )*
    };
}

with_options! { nvvmCompileProgram nvvmVerifyProgram }

cuda::nvvm!(forwards; BEHIND);
