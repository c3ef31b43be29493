//! Memory and an event of one process in another.
use crate::{answer, context, increment, kernel, ok};
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
    // SAFETY: a place for a result.
    answer(|to| unsafe { sys::cuEventCreate(to, flags) })
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

/// As [`HANDLES`], for the pool's memory: the description, and the number of the pool's file in the process that made it.
const POOL: &str = "TEST_POOL_HANDLES";

/// The properties of a pool at a kind of place, which other processes get by a kind of handle.
pub fn properties(kind: u32, handles: u32) -> sys::CUmemPoolProps {
    // SAFETY: a struct of plain numbers, for which zero is a value; the enums' numbers are the interface's.
    unsafe {
        let mut properties: sys::CUmemPoolProps = std::mem::zeroed();
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
    let (mut pool, mut closed, mut address, mut apart, mut file) = (null_mut(), null_mut(), 0, 0, -1i32);
    let mut memory = sys::CUmemPoolPtrExportData { reserved: [0; 64] };
    // SAFETY: places for results, live handles, and 16 bytes of an allocation.
    unsafe {
        ok(sys::cuMemPoolCreate(&mut pool, &properties(1, 1)));
        ok(sys::cuMemPoolCreate(&mut closed, &properties(1, 0)));
        let export = |pool, file: &mut i32| {
            sys::cuMemPoolExportToShareableHandle(std::ptr::from_mut(file).cast(), pool, DESCRIPTOR, 0)
        };
        assert_eq!(export(closed, &mut file), CUresult::CUDA_ERROR_INVALID_VALUE);
        ok(export(pool, &mut file));
        ok(sys::cuMemAllocFromPoolAsync(&mut apart, 64, closed, null_mut()));
        assert_eq!(sys::cuMemPoolExportPointer(&mut memory, apart), CUresult::CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuMemAllocFromPoolAsync(&mut address, 4096, pool, null_mut()));
        ok(sys::cuMemcpyHtoD_v2(address, [1u32, 2, 3, 4].as_ptr().cast(), 16));
        ok(sys::cuMemPoolExportPointer(&mut memory, address));
        assert_eq!(words(address), [1, 2, 3, 4], "what was there stays");
    }
    let bytes: [std::ffi::c_char; 64] = memory.reserved.map(|byte| byte as std::ffi::c_char);
    let handles = format!("{}{}:{file}", to_text(&bytes), std::process::id());
    let program = std::env::current_exe().expect("this program");
    let name = "interprocess::two_processes_use_one_pool";
    let other = Command::new(program).args(["--exact", name]).env(POOL, handles).output().expect("started");
    let told = String::from_utf8_lossy(&other.stdout).into_owned() + &String::from_utf8_lossy(&other.stderr);
    assert!(other.status.success() && told.contains("1 passed"), "{told}");
    assert_eq!(words(address), [2, 3, 4, 5], "the other process's kernel, and it has freed its own use of it");
    // SAFETY: the allocation made above, once.
    unsafe {
        ok(sys::cuMemFreeAsync(address, null_mut()));
        ok(sys::cuCtxSynchronize());
    }
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
    let (mut pool, mut own, mut a, mut b) = (null_mut(), null_mut(), 0, 0);
    let shared = std::ptr::without_provenance_mut(file.as_raw_fd() as usize);
    // SAFETY: places for results, live handles; the description is the first process's.
    unsafe {
        let null = std::fs::File::open("/dev/null").expect("a file");
        let wrong = std::ptr::without_provenance_mut(null.as_raw_fd() as usize);
        let import = |pool, shared| sys::cuMemPoolImportFromShareableHandle(pool, shared, DESCRIPTOR, 0);
        assert_eq!(import(&mut pool, wrong), CUresult::CUDA_ERROR_INVALID_VALUE);
        ok(import(&mut pool, shared));
        let mut given = memory;
        assert_eq!(sys::cuMemAllocFromPoolAsync(&mut a, 64, pool, null_mut()), CUresult::CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuMemPoolCreate(&mut own, &properties(1, 1)));
        assert_eq!(sys::cuMemPoolImportPointer(&mut a, own, &mut given), CUresult::CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuMemPoolImportPointer(&mut a, pool, &mut given));
        ok(sys::cuMemPoolImportPointer(&mut b, pool, &mut given));
        assert_eq!(a, b);
        ok(increment(kernel(c"increment"), a, 4, null_mut()));
        ok(sys::cuMemFree_v2(a));
        assert_eq!(words(a), [2, 3, 4, 5], "there once more");
        ok(sys::cuMemFreeAsync(a, null_mut()));
        ok(sys::cuCtxSynchronize());
        let mut gone = [0u32; 4];
        assert_eq!(sys::cuMemcpyDtoH_v2(gone.as_mut_ptr().cast(), a, 16), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
}

/// A function that came with CUDA 13, which the bindings of the tests do not have: `Function` is its C signature.
fn of_cuda_13<Function>(name: &std::ffi::CStr) -> Function {
    let mut found: *mut std::ffi::c_void = null_mut();
    // SAFETY: a text that ends in NUL, and a place for the result, which is a function of this signature.
    unsafe {
        ok(sys::cuGetProcAddress_v2(name.as_ptr(), &mut found, 13000, 0, null_mut()));
        assert!(!found.is_null(), "{name:?}");
        std::mem::transmute_copy(&found)
    }
}

#[test]
fn a_pool_of_the_host() {
    let _context = context();
    let host = sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST, id: 0 };
    let (mut first, mut again, mut made, mut address) = (null_mut(), null_mut(), null_mut(), 0);
    type Ask =
        unsafe extern "C" fn(*mut sys::CUmemoryPool, *mut sys::CUmemLocation, sys::CUmemAllocationType) -> CUresult;
    type Set = unsafe extern "C" fn(*mut sys::CUmemLocation, sys::CUmemAllocationType, sys::CUmemoryPool) -> CUresult;
    let default: Ask = of_cuda_13(c"cuMemGetDefaultMemPool");
    let current: Ask = of_cuda_13(c"cuMemGetMemPool");
    let set: Set = of_cuda_13(c"cuMemSetMemPool");
    let pinned = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    // SAFETY: places for results, live handles; memory that the host may use as well.
    unsafe {
        let mut place = host;
        ok(default(&mut first, &mut place, pinned));
        ok(current(&mut again, &mut place, pinned));
        assert_eq!(first, again);
        ok(sys::cuMemPoolCreate(&mut made, &sys::CUmemPoolProps { maxSize: 4096, ..properties(2, 0) }));
        ok(set(&mut place, pinned, made));
        ok(current(&mut again, &mut place, pinned));
        assert_eq!(made, again);
        assert_eq!(
            sys::cuMemAllocFromPoolAsync(&mut address, 4100, made, null_mut()),
            CUresult::CUDA_ERROR_OUT_OF_MEMORY
        );
        ok(sys::cuMemAllocFromPoolAsync(&mut address, 16, made, null_mut()));
        let seen = address as *mut u32;
        seen.write_volatile(6);
        seen.add(1).write_volatile(7);
        ok(increment(kernel(c"increment"), address, 2, null_mut()));
        ok(sys::cuCtxSynchronize());
        assert_eq!((seen.read_volatile(), seen.add(1).read_volatile()), (7, 8));
        assert_eq!(sys::cuMemFreeHost(seen.cast()), CUresult::CUDA_ERROR_INVALID_VALUE, "it is the pool's");
        ok(sys::cuMemFreeAsync(address, null_mut()));
        ok(sys::cuMemPoolDestroy(made));
        ok(current(&mut again, &mut place, pinned));
        assert_eq!(first, again, "the default one again");
    }
}
