//! The library behind a front: NVIDIA's, which the loader would have opened.
use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

/// A library behind a front, opened by the first call that needs it. It is never closed.
pub struct Behind {
    /// The name by which the auditor knows the library behind a front: [`MARK`] and the library's name.
    name: &'static CStr,
    handle: OnceLock<usize>,
}

/// Before the name of the library behind a front, in what a front asks the loader for. `front-audit` knows it too.
pub const MARK: &str = "behind-";

impl Behind {
    /// The library of a name that begins with [`MARK`].
    pub const fn new(name: &'static CStr) -> Behind {
        Behind { name, handle: OnceLock::new() }
    }

    /// The address of a function; none where the library, or the function in it, is missing.
    pub fn function(&self, name: &CStr) -> Option<*mut c_void> {
        let handle = *self.handle.get_or_init(|| self.open());
        if handle == 0 {
            return None;
        }
        // SAFETY: an open library, and a name that ends in NUL.
        let found = unsafe { libc::dlsym(handle as *mut c_void, name.as_ptr()) };
        (!found.is_null()).then_some(found)
    }

    fn open(&self) -> usize {
        // SAFETY: loading a library runs its initialisers, which the program asked for by loading it.
        let handle = unsafe { libc::dlopen(self.name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            let name = self.name.to_string_lossy();
            eprintln!("[sim] {} is not there: `sim` opens it where it is installed", name.trim_start_matches(MARK));
        }
        handle as usize
    }
}

/// Exports functions that the library behind the front answers; where it lacks one, the value behind `else` is the answer.
#[macro_export]
macro_rules! forwards {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty, else $missing:expr;)*; $behind:expr) => {
        $(
            /// As NVIDIA's library answers it.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
                // SAFETY: the caller keeps the contract of the function of that name, to which the arguments go as they are.
                unsafe { $crate::calls!($behind, $name($($argument: $type),*) -> $result).unwrap_or($missing) }
            }
        )*
    };
}

/// Calls a function of the library behind the front; none where it lacks it. Unsafe as the function is.
#[macro_export]
macro_rules! calls {
    ($behind:expr, $name:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        match const { std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) } {
            Ok(name) => $behind.function(name).map(|address| {
                let function: unsafe extern "C" fn($($type),*) -> $result = std::mem::transmute(address);
                function($($argument),*)
            }),
            Err(_) => None,
        }
    };
}
