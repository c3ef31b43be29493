//! Memory and an event of one process in another.
use crate::{context, increment, kernel, looked_up, ok, words, zeroed};
use cudarc::driver::sys::{self, CUresult};
use std::process::Command;
use std::ptr::null_mut;

/// The handles, for the other process: it runs the same test with this in its environment.
const HANDLES: &str = "TEST_IPC_HANDLES";

fn to_text(bytes: &[std::ffi::c_char; 64]) -> String {
    bytes.iter().map(|byte| format!("{:02x}", *byte as u8)).collect()
}

fn from_text(text: &str) -> [std::ffi::c_char; 64] {
    std::array::from_fn(|at| {
        u8::from_str_radix(&text[2 * at..2 * at + 2], 16).expect("hexadecimal") as std::ffi::c_char
    })
}

/// Runs a test of this program once more, with handles in its environment.
fn in_another_process(test: &str, variable: &str, handles: String) {
    let program = std::env::current_exe().expect("this program");
    let other = Command::new(program).args(["--exact", test]).env(variable, handles).output().expect("started");
    let told = String::from_utf8_lossy(&other.stdout).into_owned() + &String::from_utf8_lossy(&other.stderr);
    assert!(other.status.success() && told.contains("1 passed"), "{told}");
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
    let mut opened = 0;
    let mut memory = sys::CUipcMemHandle { reserved: [0; 64] };
    let mut event_handle = sys::CUipcEventHandle { reserved: [0; 64] };
    let plain = event_of(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32);
    let address = made!(cuMemAlloc_v2(4096));
    ok!(cuMemcpyHtoD_v2(address, [1u32, 2, 3, 4].as_ptr().cast(), 16));
    ok!(cuIpcGetMemHandle(&mut memory, address));
    assert_eq!(words(address), [1, 2, 3, 4], "what was there stays");
    // Not in the process that has it.
    assert_eq!(call!(cuIpcOpenMemHandle_v2(&mut opened, memory, 1)), CUresult::CUDA_ERROR_INVALID_CONTEXT);
    assert_eq!(call!(cuIpcGetEventHandle(&mut event_handle, plain)), CUresult::CUDA_ERROR_INVALID_HANDLE);
    ok!(cuIpcGetEventHandle(&mut event_handle, event_of(6)));
    let handles = to_text(&memory.reserved) + &to_text(&event_handle.reserved);
    in_another_process("interprocess::two_processes_use_one_allocation", HANDLES, handles);
    assert_eq!(words(address), [2, 3, 4, 5], "the other process's kernel");
    ok!(cuMemFree_v2(address));
}

fn event_of(flags: u32) -> sys::CUevent {
    made!(cuEventCreate(flags))
}

fn second(handles: &str) {
    let _context = context();
    let (memory, event) = handles.split_at(128);
    let (memory, event) = (from_text(memory), from_text(event));
    let mut a = 0;
    let handle = sys::CUipcMemHandle { reserved: memory };
    assert_eq!(call!(cuIpcOpenMemHandle_v2(&mut a, handle, 0)), CUresult::CUDA_ERROR_INVALID_VALUE);
    ok!(cuIpcOpenMemHandle_v2(&mut a, handle, 1));
    let b = made!(cuIpcOpenMemHandle_v2(handle, 1));
    assert_eq!(a, b);
    let opened = made!(cuIpcOpenEventHandle(sys::CUipcEventHandle { reserved: event }));
    ok!(cuEventSynchronize(opened));
    assert_eq!(words(a), [1, 2, 3, 4]);
    ok(increment(kernel(c"increment"), a, 4, null_mut()));
    ok!(cuEventRecord(opened, null_mut()));
    assert_eq!(words(a), [2, 3, 4, 5]);
    assert_eq!(call!(cuMemFree_v2(a)), CUresult::CUDA_ERROR_INVALID_VALUE);
    ok!(cuIpcCloseMemHandle(a));
    assert_eq!(words(a), [2, 3, 4, 5], "open once more");
    ok!(cuIpcCloseMemHandle(a));
    assert_eq!(call!(cuIpcCloseMemHandle(a)), CUresult::CUDA_ERROR_INVALID_VALUE);
    let mut gone = [0u32; 4];
    assert_eq!(call!(cuMemcpyDtoH_v2(gone.as_mut_ptr().cast(), a, 16)), CUresult::CUDA_ERROR_INVALID_VALUE);
}

/// As [`HANDLES`], for the pool's memory: the description, and the number of the pool's file in the process that made it.
const POOL: &str = "TEST_POOL_HANDLES";

/// The properties of a pool at a kind of place, which other processes get by a kind of handle.
pub fn properties(kind: u32, handles: u32) -> sys::CUmemPoolProps {
    // SAFETY: a struct of plain numbers, for which zero is a value; the enums' numbers are the interface's.
    unsafe {
        let mut properties: sys::CUmemPoolProps = zeroed();
        properties.allocType = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.handleTypes = std::mem::transmute::<u32, sys::CUmemAllocationHandleType>(handles);
        properties.location.type_ = std::mem::transmute::<u32, sys::CUmemLocationType>(kind);
        properties
    }
}

#[test]
fn two_processes_use_one_pool() {
    match std::env::var(POOL) {
        Ok(handles) => second_with_pool(&handles),
        Err(_) => first_with_pool(),
    }
}

const DESCRIPTOR: sys::CUmemAllocationHandleType =
    sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

fn first_with_pool() {
    let _context = context();
    let mut file = -1i32;
    let mut memory = sys::CUmemPoolPtrExportData { reserved: [0; 64] };
    let pool = made!(cuMemPoolCreate(&properties(1, 1)));
    let closed = made!(cuMemPoolCreate(&properties(1, 0)));
    let export = |pool, file: &mut i32| {
        call!(cuMemPoolExportToShareableHandle(std::ptr::from_mut(file).cast(), pool, DESCRIPTOR, 0))
    };
    assert_eq!(export(closed, &mut file), CUresult::CUDA_ERROR_INVALID_VALUE);
    ok(export(pool, &mut file));
    let apart = made!(cuMemAllocFromPoolAsync(64, closed, null_mut()));
    assert_eq!(call!(cuMemPoolExportPointer(&mut memory, apart)), CUresult::CUDA_ERROR_INVALID_VALUE);
    let address = made!(cuMemAllocFromPoolAsync(4096, pool, null_mut()));
    ok!(cuMemcpyHtoD_v2(address, [1u32, 2, 3, 4].as_ptr().cast(), 16));
    ok!(cuMemPoolExportPointer(&mut memory, address));
    assert_eq!(words(address), [1, 2, 3, 4], "what was there stays");
    let bytes: [std::ffi::c_char; 64] = memory.reserved.map(|byte| byte as std::ffi::c_char);
    let handles = format!("{}{}:{file}", to_text(&bytes), std::process::id());
    in_another_process("interprocess::two_processes_use_one_pool", POOL, handles);
    assert_eq!(words(address), [2, 3, 4, 5], "the other process's kernel, and it has freed its own use of it");
    ok!(cuMemFreeAsync(address, null_mut()));
    ok!(cuCtxSynchronize());
}

fn second_with_pool(handles: &str) {
    use std::os::fd::AsRawFd;
    let _context = context();
    let (memory, file) = handles.split_at(128);
    let memory = sys::CUmemPoolPtrExportData { reserved: from_text(memory).map(|byte| byte as u8) };
    let (process, file) = file.split_once(':').expect("a process and a file");
    // The descriptor that a socket would hand over.
    let file =
        std::fs::File::options().read(true).write(true).open(format!("/proc/{process}/fd/{file}")).expect("open");
    let (mut pool, mut a) = (null_mut(), 0);
    let shared = std::ptr::without_provenance_mut(file.as_raw_fd() as usize);
    let null = std::fs::File::open("/dev/null").expect("a file");
    let wrong = std::ptr::without_provenance_mut(null.as_raw_fd() as usize);
    let import = |pool, shared| call!(cuMemPoolImportFromShareableHandle(pool, shared, DESCRIPTOR, 0));
    assert_eq!(import(&mut pool, wrong), CUresult::CUDA_ERROR_INVALID_VALUE);
    ok(import(&mut pool, shared));
    let mut given = memory;
    assert_eq!(call!(cuMemAllocFromPoolAsync(&mut a, 64, pool, null_mut())), CUresult::CUDA_ERROR_INVALID_VALUE);
    let own = made!(cuMemPoolCreate(&properties(1, 1)));
    assert_eq!(call!(cuMemPoolImportPointer(&mut a, own, &mut given)), CUresult::CUDA_ERROR_INVALID_VALUE);
    ok!(cuMemPoolImportPointer(&mut a, pool, &mut given));
    let b = made!(cuMemPoolImportPointer(pool, &mut given));
    assert_eq!(a, b);
    ok(increment(kernel(c"increment"), a, 4, null_mut()));
    ok!(cuMemFree_v2(a));
    assert_eq!(words(a), [2, 3, 4, 5], "there once more");
    ok!(cuMemFreeAsync(a, null_mut()));
    ok!(cuCtxSynchronize());
    let mut gone = [0u32; 4];
    assert_eq!(call!(cuMemcpyDtoH_v2(gone.as_mut_ptr().cast(), a, 16)), CUresult::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn a_pool_of_the_host() {
    let _context = context();
    let host = sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST, id: 0 };
    let (mut first, mut again, mut made, mut address) = (null_mut(), null_mut(), null_mut(), 0);
    type Ask =
        unsafe extern "C" fn(*mut sys::CUmemoryPool, *mut sys::CUmemLocation, sys::CUmemAllocationType) -> CUresult;
    type Set = unsafe extern "C" fn(*mut sys::CUmemLocation, sys::CUmemAllocationType, sys::CUmemoryPool) -> CUresult;
    let default: Ask = looked_up(c"cuMemGetDefaultMemPool", 13000);
    let current: Ask = looked_up(c"cuMemGetMemPool", 13000);
    let set: Set = looked_up(c"cuMemSetMemPool", 13000);
    let pinned = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    // SAFETY: places for results, live handles; memory that the host may use as well.
    unsafe {
        let mut place = host;
        ok(default(&mut first, &mut place, pinned));
        ok(current(&mut again, &mut place, pinned));
        assert_eq!(first, again);
        ok!(cuMemPoolCreate(&mut made, &sys::CUmemPoolProps { maxSize: 4096, ..properties(2, 0) }));
        ok(set(&mut place, pinned, made));
        ok(current(&mut again, &mut place, pinned));
        assert_eq!(made, again);
        assert_eq!(
            call!(cuMemAllocFromPoolAsync(&mut address, 4100, made, null_mut())),
            CUresult::CUDA_ERROR_OUT_OF_MEMORY
        );
        ok!(cuMemAllocFromPoolAsync(&mut address, 16, made, null_mut()));
        let seen = address as *mut u32;
        seen.write_volatile(6);
        seen.add(1).write_volatile(7);
        ok(increment(kernel(c"increment"), address, 2, null_mut()));
        ok!(cuCtxSynchronize());
        assert_eq!((seen.read_volatile(), seen.add(1).read_volatile()), (7, 8));
        assert_eq!(call!(cuMemFreeHost(seen.cast())), CUresult::CUDA_ERROR_INVALID_VALUE, "it is the pool's");
        ok!(cuMemFreeAsync(address, null_mut()));
        ok!(cuMemPoolDestroy(made));
        ok(current(&mut again, &mut place, pinned));
        assert_eq!(first, again, "the default one again");
    }
}
