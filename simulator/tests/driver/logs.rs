//! The driver's log: told as it happens, and the latest of it as text.
use crate::{context, exported, ok};
use cudarc::driver::sys::CUresult;
use std::ffi::{CStr, CString, c_char, c_uint, c_void};
use std::ptr::null_mut;

type Callback = unsafe extern "C" fn(*mut c_void, c_uint, *mut c_char, usize);
type Register = unsafe extern "C" fn(Option<Callback>, *mut c_void, *mut *mut c_void) -> CUresult;
type Unregister = unsafe extern "C" fn(*mut c_void) -> CUresult;
type Current = unsafe extern "C" fn(*mut c_uint, c_uint) -> CUresult;
type ToFile = unsafe extern "C" fn(*mut c_uint, *const c_char, c_uint) -> CUresult;
type ToMemory = unsafe extern "C" fn(*mut c_uint, *mut c_char, *mut usize, c_uint) -> CUresult;

/// Keeps the lines that it gets, and fails a call itself, which must not come back to it.
unsafe extern "C" fn keep(data: *mut c_void, level: c_uint, line: *mut c_char, length: usize) {
    // SAFETY: the list of the test below, and a text of so many bytes.
    unsafe {
        let line = CStr::from_ptr(line).to_string_lossy().into_owned();
        assert_eq!((level, length), (0, line.len()));
        (*data.cast::<Vec<String>>()).push(line);
        assert_eq!(call!(cuMemFree_v2(0x20)), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
}

/// A call that fails, with words of its own: other tests of this process fail calls as well, on other threads.
fn fail(name: &CStr) {
    let mut module = null_mut();
    let result = call!(cuModuleLoad(&mut module, name.as_ptr()));
    assert_eq!(result, CUresult::CUDA_ERROR_FILE_NOT_FOUND);
}

#[test]
fn a_callback_gets_the_lines_of_calls_that_fail() {
    static LINES: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());
    unsafe extern "C" fn gather(data: *mut c_void, level: c_uint, line: *mut c_char, length: usize) {
        let mut own: Vec<String> = Vec::new();
        // SAFETY: a list of this call's own, and what the driver gave.
        unsafe { keep((&raw mut own).cast(), level, line, length) };
        assert_eq!(data as usize, 77);
        LINES.lock().unwrap().extend(own);
    }
    let _context = context();
    let (register, unregister): (Register, Unregister) =
        (exported("cuLogsRegisterCallback"), exported("cuLogsUnregisterCallback"));
    let mut handle = null_mut();
    // SAFETY: a function of the kind that the interface asks for, and a place for a handle.
    unsafe {
        assert_eq!(register(None, null_mut(), &mut handle), CUresult::CUDA_ERROR_INVALID_VALUE);
        ok(register(Some(gather), 77 as *mut c_void, &mut handle));
        fail(c"/nowhere/abc10");
    }
    let lines_of = |name: &str| {
        let lines = LINES.lock().unwrap().clone();
        let found = lines.iter().filter(|line| line.contains(name)).count();
        (found, lines)
    };
    let (found, lines) = lines_of("/nowhere/abc10");
    assert_eq!(found, 1, "{lines:?}");
    // SAFETY: the handle, and then one that is stale.
    unsafe {
        ok(unregister(handle));
        fail(c"/nowhere/abc20");
        assert_eq!(unregister(handle), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
    assert_eq!(lines_of("/nowhere/abc20").0, 0);
}

#[test]
fn the_latest_lines_can_be_had_as_text() {
    let _context = context();
    let (current, to_memory): (Current, ToMemory) = (exported("cuLogsCurrent"), exported("cuLogsDumpToMemory"));
    let to_file: ToFile = exported("cuLogsDumpToFile");
    let (mut from, mut buffer) = (0, vec![0u8; 20_000]);
    let mut bytes = buffer.len();
    // SAFETY: places for results, and a buffer of as many bytes as it says.
    unsafe {
        ok(current(&mut from, 0));
        assert_eq!(current(&mut from, 1), CUresult::CUDA_ERROR_INVALID_VALUE);
        fail(c"/nowhere/abc30");
        let mut place = from;
        ok(to_memory(&mut place, buffer.as_mut_ptr().cast(), &mut bytes, 0));
        assert!(place > from, "the place moves on");
    }
    let text = String::from_utf8(buffer[..bytes].to_vec()).unwrap();
    assert!(buffer[bytes] == 0 && text.contains("/nowhere/abc30"), "{text}");
    let path = std::env::temp_dir().join(format!("driver-log-{}", std::process::id()));
    let name = CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: a text, and a buffer of 64 bytes.
    unsafe {
        ok(to_file(null_mut(), name.as_ptr(), 0));
        let mut few = 64;
        ok(to_memory(null_mut(), buffer.as_mut_ptr().cast(), &mut few, 0));
        assert!(few < 64 && buffer[few] == 0);
    }
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(text.lines().count() > 0, "{text}");
    assert!(buffer.starts_with(b"[older lines are gone]\n"), "{:?}", &buffer[..64]);
}
