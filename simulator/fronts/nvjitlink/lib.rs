//! nvJitLink by the simulator's linker: what is linked is PTX, and so is the answer, as a CUBIN and as PTX.
#![allow(unsafe_code, non_snake_case, reason = "the library's C surface")]
#![allow(clippy::missing_safety_doc, reason = "of the caller's pointers each call asks what nvJitLink asks")]

#[macro_use(refuse_if)]
extern crate cuda;

#[path = "link.rs"]
mod link;

use fronts::behind::Behind;
use fronts::calls;
use link::{Failure, Link};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// This file is two packages, one for each version: the library behind, and the version where that does not tell it.
const ABOUT: (&CStr, [c_uint; 2]) = match env!("CARGO_PKG_NAME").as_bytes() {
    b"nvJitLink-12" => (c"behind-libnvJitLink.so.12", [12, 9]),
    b"nvJitLink-13" => (c"behind-libnvJitLink.so.13", [13, 0]),
    _ => panic!("no library is behind this package"),
};

static BEHIND: Behind = Behind::new(ABOUT.0);

/// A number that stands for a link; it is looked up, never followed.
type Handle = *mut c_void;

#[derive(Default)]
struct Links {
    last: usize,
    links: BTreeMap<usize, Link>,
}

fn links() -> MutexGuard<'static, Links> {
    static LINKS: Mutex<Links> = Mutex::new(Links { last: 0, links: BTreeMap::new() });
    LINKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does something with a link.
fn with(handle: Handle, what: impl FnOnce(&mut Link) -> Result<(), Failure>) -> Result<(), Failure> {
    what(links().links.get_mut(&(handle as usize)).ok_or(Failure::InvalidInput)?)
}

/// The result as the interface numbers it; panics stay inside.
fn call(body: impl FnOnce() -> Result<(), Failure>) -> c_int {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(failure)) => failure as c_int,
        Err(_) => Failure::Internal as c_int,
    }
}

/// Writes an answer where the caller wants it.
unsafe fn out<T>(to: *mut T, value: T) -> Result<(), Failure> {
    // SAFETY: null, or the caller's place for a `T`.
    unsafe { cuda::out(to, value, Failure::NullInput) }
}

/// Writes bytes where the caller has room for as many as the size that it was told.
unsafe fn copy(to: *mut c_void, bytes: &[u8]) -> Result<(), Failure> {
    refuse_if!(to.is_null(), Failure::NullInput);
    // SAFETY: not null, and the caller's room.
    unsafe { to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    Ok(())
}

unsafe fn text(from: *const c_char) -> Result<String, Failure> {
    refuse_if!(from.is_null(), Failure::NullInput);
    // SAFETY: not null, and the caller's text, which ends in NUL.
    Ok(unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned())
}

/// Exports functions under their own name and the names that the header of each version gives them.
macro_rules! exports {
    ($($name:ident($($argument:ident: $type:ty),*) => $body:expr;)*) => {
        $(
            /// As nvJitLink's interface defines it.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
                // SAFETY: the caller keeps the promises that the interface asks of it; what can be checked is checked.
                #[allow(unused_unsafe)]
                call(|| unsafe { $body })
            }
            of_versions!($name($($argument: $type),*);
                "12_0" "12_1" "12_2" "12_3" "12_4" "12_5" "12_6" "12_7" "12_8" "12_9"
                "13_0" "13_1" "13_2" "13_3" "13_4" "13_5");
        )*
    };
}

macro_rules! of_versions {
    ($name:ident $arguments:tt; $($version:literal)*) => { $(of_version!($name $arguments $version);)* };
}

macro_rules! of_version {
    ($name:ident($($argument:ident: $type:ty),*) $version:literal) => {
        const _: () = {
            #[unsafe(export_name = concat!("__", stringify!($name), "_", $version))]
            unsafe extern "C" fn versioned($($argument: $type),*) -> c_int {
                // SAFETY: the same promises, of the same function.
                unsafe { $name($($argument),*) }
            }
        };
    };
}

exports! {
    nvJitLinkCreate(handle: *mut Handle, count: u32, options: *mut *const c_char) => create(handle, count, options);
    nvJitLinkDestroy(handle: *mut Handle) => destroy(handle);
    nvJitLinkAddData(handle: Handle, kind: c_int, data: *const c_void, bytes: usize, name: *const c_char) => add_data(handle, kind, data, bytes, name);
    nvJitLinkAddFile(handle: Handle, kind: c_int, path: *const c_char) => add_file(handle, kind, path);
    nvJitLinkComplete(handle: Handle) => with(handle, Link::complete);
    nvJitLinkGetLinkedCubinSize(handle: Handle, bytes: *mut usize) => with(handle, |link| out(bytes, link.linked()?.len()));
    nvJitLinkGetLinkedCubin(handle: Handle, to: *mut c_void) => with(handle, |link| copy(to, link.linked()?));
    nvJitLinkGetLinkedPtxSize(handle: Handle, bytes: *mut usize) => with(handle, |link| out(bytes, link.linked()?.len()));
    nvJitLinkGetLinkedPtx(handle: Handle, to: *mut c_void) => with(handle, |link| copy(to, link.linked()?));
    nvJitLinkGetLinkedLTOIRSize(handle: Handle, bytes: *mut usize) => with(handle, |link| out(bytes, link.linked()?.len()));
    nvJitLinkGetLinkedLTOIR(handle: Handle, to: *mut c_void) => with(handle, |link| copy(to, link.linked()?));
    nvJitLinkGetErrorLogSize(handle: Handle, bytes: *mut usize) => with(handle, |link| out(bytes, link.errors().len()));
    nvJitLinkGetErrorLog(handle: Handle, to: *mut c_void) => with(handle, |link| copy(to, link.errors()));
    nvJitLinkGetInfoLogSize(handle: Handle, bytes: *mut usize) => with(handle, |link| out(bytes, link.notes().len()));
    nvJitLinkGetInfoLog(handle: Handle, to: *mut c_void) => with(handle, |link| copy(to, link.notes()));
}

/// `nvJitLinkVersion`: that of the library behind the front.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvJitLinkVersion(major: *mut c_uint, minor: *mut c_uint) -> c_int {
    // SAFETY: the caller keeps the contract of the function of that name, to which the arguments go as they are.
    let told = unsafe { calls!(BEHIND, nvJitLinkVersion(major: *mut c_uint, minor: *mut c_uint) -> c_int) };
    // SAFETY: the caller's places.
    told.unwrap_or_else(|| call(|| unsafe { out(major, ABOUT.1[0]).and_then(|()| out(minor, ABOUT.1[1])) }))
}

unsafe fn create(handle: *mut Handle, count: u32, options: *mut *const c_char) -> Result<(), Failure> {
    refuse_if!(handle.is_null() || (options.is_null() && count > 0), Failure::NullInput);
    // SAFETY: the caller's array of `count` texts.
    let words = (0..count as usize).map(|i| unsafe { text(options.add(i).read()) }).collect::<Result<Vec<_>, _>>()?;
    let link = Link::new(&words)?;
    let mut all = links();
    all.last += 1;
    let number = all.last;
    all.links.insert(number, link);
    // SAFETY: the caller's place for a handle.
    unsafe { out(handle, number as Handle) }
}

unsafe fn destroy(handle: *mut Handle) -> Result<(), Failure> {
    refuse_if!(handle.is_null(), Failure::NullInput);
    // SAFETY: the caller's place of a handle.
    let number = unsafe { handle.read() } as usize;
    links().links.remove(&number).map(drop).ok_or(Failure::InvalidInput)?;
    // SAFETY: as above.
    unsafe { out(handle, std::ptr::null_mut()) }
}

unsafe fn add_data(
    handle: Handle,
    kind: c_int,
    data: *const c_void,
    bytes: usize,
    name: *const c_char,
) -> Result<(), Failure> {
    refuse_if!(data.is_null(), Failure::NullInput);
    // SAFETY: the caller's bytes, as many as it says.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast(), bytes) };
    // SAFETY: the caller's text, where there is one.
    let name = unsafe { text(name) }.unwrap_or_default();
    with(handle, |link| link.add(kind, name, bytes.to_vec()))
}

unsafe fn add_file(handle: Handle, kind: c_int, path: *const c_char) -> Result<(), Failure> {
    // SAFETY: the caller's text.
    let path = unsafe { text(path)? };
    with(handle, |link| match std::fs::read(&path) {
        Ok(bytes) => link.add(kind, path, bytes),
        Err(error) => link.refuse(Failure::InvalidInput, &format!("{path}: {error}")),
    })
}
