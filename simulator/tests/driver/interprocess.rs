//! Memory and an event of one process in another.
use crate::{context, increment, kernel, ok};
use cudarc::driver::sys::{self, CUresult};
use std::process::Command;
use std::ptr::null_mut;

/// The handles, for the other process: it runs the same test with this in its environment.
const HANDLES: &str = "TEST_IPC_HANDLES";

fn words(address: u64) -> [u32; 4] {
    let mut words = [0u32; 4];
    // SAFETY: a place for 16 bytes.
    ok(unsafe { sys::cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), address, 16) });
    words
}

fn to_text(bytes: &[std::ffi::c_char; 64]) -> String {
    bytes.iter().map(|byte| format!("{:02x}", *byte as u8)).collect()
}

fn from_text(text: &str) -> [std::ffi::c_char; 64] {
    std::array::from_fn(|at| {
        u8::from_str_radix(&text[2 * at..2 * at + 2], 16).expect("hexadecimal") as std::ffi::c_char
    })
}

#[test]
fn two_processes_use_one_allocation() {
    match std::env::var(HANDLES) {
        Ok(handles) => second(&handles),
        Err(_) => first(),
    }
}

fn first() {
    let _context = context();
    let (mut address, mut opened) = (0, 0);
    let mut memory = sys::CUipcMemHandle { reserved: [0; 64] };
    let mut event_handle = sys::CUipcEventHandle { reserved: [0; 64] };
    let plain = event_of(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32);
    // SAFETY: places for results, live handles, and 16 bytes of an allocation.
    unsafe {
        ok(sys::cuMemAlloc_v2(&mut address, 4096));
        ok(sys::cuMemcpyHtoD_v2(address, [1u32, 2, 3, 4].as_ptr().cast(), 16));
        ok(sys::cuIpcGetMemHandle(&mut memory, address));
        assert_eq!(words(address), [1, 2, 3, 4], "what was there stays");
        // Not in the process that has it.
        assert_eq!(sys::cuIpcOpenMemHandle_v2(&mut opened, memory, 1), CUresult::CUDA_ERROR_INVALID_CONTEXT);
        assert_eq!(sys::cuIpcGetEventHandle(&mut event_handle, plain), CUresult::CUDA_ERROR_INVALID_HANDLE);
        ok(sys::cuIpcGetEventHandle(&mut event_handle, event_of(6)));
    }
    let name = "interprocess::two_processes_use_one_allocation";
    let handles = to_text(&memory.reserved) + &to_text(&event_handle.reserved);
    let program = std::env::current_exe().expect("this program");
    let other = Command::new(program).args(["--exact", name]).env(HANDLES, handles).output().expect("started");
    let told = String::from_utf8_lossy(&other.stdout).into_owned() + &String::from_utf8_lossy(&other.stderr);
    assert!(other.status.success() && told.contains("1 passed"), "{told}");
    assert_eq!(words(address), [2, 3, 4, 5], "the other process's kernel");
    // SAFETY: the allocation made above, once.
    ok(unsafe { sys::cuMemFree_v2(address) });
}

fn event_of(flags: u32) -> sys::CUevent {
    let mut event = null_mut();
    // SAFETY: a place for a result.
    ok(unsafe { sys::cuEventCreate(&mut event, flags) });
    event
}

fn second(handles: &str) {
    let _context = context();
    let (memory, event) = handles.split_at(128);
    let (memory, event) = (from_text(memory), from_text(event));
    let (mut a, mut b, mut opened) = (0, 0, null_mut());
    let handle = sys::CUipcMemHandle { reserved: memory };
    // SAFETY: places for results; the handles are the first process's.
    unsafe {
        assert_eq!(sys::cuIpcOpenMemHandle_v2(&mut a, handle, 0), CUresult::CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuIpcOpenMemHandle_v2(&mut a, handle, 1));
        ok(sys::cuIpcOpenMemHandle_v2(&mut b, handle, 1));
        assert_eq!(a, b);
        ok(sys::cuIpcOpenEventHandle(&mut opened, sys::CUipcEventHandle { reserved: event }));
        ok(sys::cuEventSynchronize(opened));
        assert_eq!(words(a), [1, 2, 3, 4]);
        ok(increment(kernel(c"increment"), a, 4, null_mut()));
        ok(sys::cuEventRecord(opened, null_mut()));
        assert_eq!(words(a), [2, 3, 4, 5]);
        assert_eq!(sys::cuMemFree_v2(a), CUresult::CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuIpcCloseMemHandle(a));
        assert_eq!(words(a), [2, 3, 4, 5], "open once more");
        ok(sys::cuIpcCloseMemHandle(a));
        assert_eq!(sys::cuIpcCloseMemHandle(a), CUresult::CUDA_ERROR_INVALID_VALUE);
        let mut gone = [0u32; 4];
        assert_eq!(sys::cuMemcpyDtoH_v2(gone.as_mut_ptr().cast(), a, 16), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
}
