//! A front of the extension modules by which `cuda.bindings` calls the runtime interface from Python.
//!
//! NVIDIA's runtime library is linked into them, and does not start here (`docs/fidelity.md`). But other modules reach its
//! functions by a table alone: Cython keeps what a module exports to other modules as capsules, each an address, in the
//! module's `__pyx_capi__`. So the front, which the auditor has the loader open in a module's place, hands on the module as it
//! is, and adds one step to its initialisation: the capsule of `_cudaMalloc` gets the address of `cudaMalloc` in this
//! project's `libcudart.so`, and so on for all that this library has. The two have one C signature.
#![allow(unsafe_code, non_snake_case, reason = "Python's C interface")]
mod python;

use fronts::behind::Behind;
use python::{Capsule, Object, Python};
use std::ffi::{CStr, CString, c_int, c_void};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

/// Exports the initialisation of modules; behind each name is how the module's functions treat the default stream.
macro_rules! modules {
    ($($init:ident = $name:literal, $streams:expr, $finish:ident;)*) => {
        $(
            /// As the module's own, with one step more.
            ///
            /// # Safety
            /// Python calls this, which holds its lock.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $init() -> Object {
                static BEHIND: Behind = Behind::new(match CStr::from_bytes_with_nul(concat!("behind-", $name, "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("the macro ends every name with NUL"),
                });
                unsafe extern "C" fn $finish(module: Object) -> c_int {
                    // SAFETY: Python calls this with its module.
                    unsafe { finish($name, module, $streams()) };
                    0
                }
                // SAFETY: Python calls this; the module behind has a function of this name.
                unsafe {
                    let made = fronts::calls!(BEHIND, $init() -> Object).unwrap_or(std::ptr::null_mut());
                    match Python::get() {
                        Some(python) => python.with_step(made, $finish),
                        None => made,
                    }
                }
            }
        )*
    };
}

// Up to 13.2, and after it.
modules! {
    PyInit_cyruntime = "cyruntime", asked_for_streams_of_threads, finish_cyruntime;
    PyInit_cyruntime_ptds = "cyruntime_ptds", always, finish_cyruntime_ptds;
    PyInit_runtime = "runtime", asked_for_streams_of_threads, finish_runtime;
    PyInit_runtime_ptds = "runtime_ptds", always, finish_runtime_ptds;
}

/// Whether the default stream is each thread's own: the bindings' variable, which they read at their first call.
fn asked_for_streams_of_threads() -> bool {
    let value = std::env::var("CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM");
    value.is_ok_and(|value| value.trim().parse::<i64>().is_ok_and(|number| number != 0))
}

fn always() -> bool {
    true
}

/// The module is initialised: gives its capsules their addresses. Unsafe as Python is: `module` is one.
unsafe fn finish(name: &str, module: Object, streams_of_threads: bool) {
    // SAFETY: the caller's promise.
    let Some((python, capsules)) = Python::get().and_then(|python| Some((python, unsafe { python.capsules(module) }?)))
    else {
        return;
    };
    let Some((library, file)) = library(python, &capsules) else { return };
    let find = |name: &str| {
        let name = CString::new(name).ok()?;
        // SAFETY: an open library, which is never closed.
        let address = unsafe { libc::dlsym(library, name.as_ptr()) };
        (!address.is_null()).then_some(address)
    };
    let (mut replaced, mut left) = (0, Vec::new());
    for capsule in capsules {
        // The rest are functions of the bindings' own.
        let Some(function) = capsule.name.strip_prefix('_').filter(|name| name.starts_with("cuda")) else { continue };
        let suffixes: &[&str] = if streams_of_threads { &["_ptsz", "_ptds", ""] } else { &[""] };
        match suffixes.iter().find_map(|suffix| find(&format!("{function}{suffix}"))) {
            // SAFETY: the function of this name, whose C signature is the interface's.
            Some(address) if unsafe { python.set(&capsule, address) } => replaced += 1,
            _ => left.push(function.to_owned()),
        }
    }
    fronts::say(&|| {
        let missing = if left.is_empty() { String::new() } else { format!("; it lacks {}", left.join(", ")) };
        format!(
            "cuda.bindings: {replaced} functions of {name} are those of {file}, in place of NVIDIA's runtime library in it{missing}"
        )
    });
}

/// The runtime library beside this front, of the version that is linked into the module, and its name.
fn library(python: &Python, capsules: &[Capsule]) -> Option<(*mut c_void, String)> {
    let version = capsules.iter().find(|capsule| capsule.name == "_cudaRuntimeGetVersion")?;
    let mut number: c_int = 0;
    // SAFETY: the function writes a constant, and its capsule has its address.
    unsafe {
        let function: unsafe extern "C" fn(*mut c_int) -> u32 = std::mem::transmute(python.address(version)?);
        (function(&mut number) == 0).then_some(())?;
    }
    let file = format!("libcudart.so.{}", number / 1000);
    let path = CString::new(own_folder()?.join(&file).into_os_string().into_vec()).ok()?;
    // SAFETY: loading our library runs no code of others.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        eprintln!(
            "[sim] {file} is not beside the front of cuda.bindings, whose runtime functions fail here without it"
        );
        return None;
    }
    Some((library, file))
}

/// The folder from which the loader opened this library.
fn own_folder() -> Option<std::path::PathBuf> {
    // SAFETY: all fields may be zero.
    let mut about: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: an address in this library, and room for the answer.
    let found = unsafe { libc::dladdr(own_folder as *const c_void, &mut about) };
    if found == 0 || about.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's text, which lives as long as this library.
    let path = unsafe { CStr::from_ptr(about.dli_fname) };
    Some(Path::new(path.to_str().ok()?).parent()?.to_owned())
}
