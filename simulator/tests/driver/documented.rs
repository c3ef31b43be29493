//! The interface's documented answers to odd calls: the result, the value, and when a call returns.
use crate::{context, device, exported, increment, ok, pinned, text, words};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;

const INVALID_VALUE: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;
const INVALID_HANDLE: CUresult = CUresult::CUDA_ERROR_INVALID_HANDLE;

fn managed(words: usize) -> &'static mut [u32] {
    let mut address = 0;
    // SAFETY: a place for a result; the memory lives until its context ends.
    unsafe {
        ok!(cuMemAllocManaged(&mut address, words * 4, 1));
        std::slice::from_raw_parts_mut(address as *mut u32, words)
    }
}

/// Loads a text that ends in NUL, or an image that tells its length.
pub fn load(image: &[u8]) -> (sys::CUmodule, CUresult) {
    let mut module = null_mut();
    let result = call!(cuModuleLoadData(&mut module, image.as_ptr().cast()));
    (module, result)
}

/// A module with a body for one kernel `f`.
pub fn module_of(version: &str, target: &str, rest: &str) -> Vec<u8> {
    format!(".version {version}\n.target {target}\n.address_size 64\n{rest}\n\0").into_bytes()
}

/// A container of plain entries: kind, architecture, and what it holds.
pub fn container(entries: &[(u16, u32, &[u8])]) -> Vec<u8> {
    let entry = |&(kind, architecture, text): &(u16, u32, &[u8])| entry(kind, architecture, text.len() as u64, text);
    contained(None, &entries.iter().map(entry).collect::<Vec<_>>())
}

/// An entry of a container: a header of 64 bytes, and its text. The length may be a lie.
pub fn entry(kind: u16, architecture: u32, length: u64, text: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0u8; 64];
    bytes[0..2].copy_from_slice(&kind.to_le_bytes());
    bytes[4..8].copy_from_slice(&64u32.to_le_bytes());
    bytes[8..16].copy_from_slice(&length.to_le_bytes());
    bytes[28..32].copy_from_slice(&architecture.to_le_bytes());
    bytes.extend_from_slice(text);
    bytes
}

/// A container of entries, whose length may be a lie.
pub fn contained(length: Option<u64>, entries: &[Vec<u8>]) -> Vec<u8> {
    let body = entries.concat();
    let length = length.unwrap_or(body.len() as u64);
    [&[0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0], &length.to_le_bytes()[..], &body].concat()
}

#[test]
fn a_fill_of_memory_that_the_host_sees_is_done_when_the_call_returns() {
    let _context = context();
    for host in [pinned(64), managed(64)] {
        host.fill(1);
        let at = host.as_mut_ptr() as u64;
        ok!(cuMemsetD8_v2(at, 2, 256));
        assert_eq!(host[63], 0x0202_0202);
        ok!(cuMemsetD2D32_v2(at, 128, 3, 2, 2));
        assert_eq!((host[0], host[1], host[2], host[33]), (3, 3, 0x0202_0202, 3));
        // With a stream, nothing is promised, and so nothing has happened.
        ok!(cuMemsetD32Async(at, 4, 64, null_mut()));
        assert_eq!(host[0], 3);
        ok!(cuCtxSynchronize());
        assert_eq!(host[0], 4);
    }
}

#[test]
fn a_copy_between_host_memories_is_done_when_the_call_returns() {
    let _context = context();
    let (from, to) = (pinned(64), pinned(64));
    from.fill(7);
    to.fill(0);
    ok!(cuMemcpyAsync(to.as_mut_ptr() as u64, from.as_ptr() as u64, 256, null_mut()));
    assert_eq!(to[63], 7);
    let shared = managed(64);
    shared.fill(0);
    ok!(cuMemcpyAsync(shared.as_mut_ptr() as u64, device(64, 9), 256, null_mut()));
    assert_eq!(shared[0], 0);
    ok!(cuMemcpy(shared.as_mut_ptr() as u64, device(64, 8), 256));
    assert_eq!(shared[0], 8);
}

#[test]
fn functions_are_found_in_the_version_that_is_asked_for() {
    let _context = context();
    let found = |name: &CStr, version: i32| {
        let (mut function, mut status) = (null_mut(), sys::CUdriverProcAddressQueryResult::CU_GET_PROC_ADDRESS_SUCCESS);
        ok!(cuGetProcAddress_v2(name.as_ptr(), &mut function, version, 0, &mut status));
        (function as usize, status as u32)
    };
    let address = |name: &str| exported::<*mut c_void>(name) as usize;
    for (name, version, symbol) in [
        (c"cuCtxCreate", 11030, "cuCtxCreate_v2"),
        (c"cuCtxCreate", 11040, "cuCtxCreate_v3"),
        (c"cuCtxCreate", 12050, "cuCtxCreate_v4"),
        (c"cuGraphInstantiate", 11000, "cuGraphInstantiate_v2"),
        (c"cuGraphInstantiate", 12000, "cuGraphInstantiate_v2"),
        (c"cuGraphInstantiateWithFlags", 12000, "cuGraphInstantiateWithFlags"),
        (c"cuMemAlloc", 12000, "cuMemAlloc_v2"),
        (c"cuStreamGetCaptureInfo", 11020, "cuStreamGetCaptureInfo"),
    ] {
        assert_eq!(found(name, version), (address(symbol), 0), "{name:?} {version}");
    }
    assert_eq!(found(c"cuNothing", 12000), (0, 1));
    let mut function = null_mut();
    let first: unsafe extern "C" fn(*const c_char, *mut *mut c_void, i32, u64) -> CUresult =
        exported("cuGetProcAddress");
    // SAFETY: the function's own signature, and a place for a result.
    let old = unsafe { first(c"cuNothing".as_ptr(), &mut function, 12000, 0) };
    assert_eq!((old, function), (CUresult::CUDA_ERROR_NOT_FOUND, null_mut()));
}

/// FFmpeg, GStreamer and others look up all that their tables name when they load the driver, and go without CUDA if one is missing.
#[test]
fn names_of_older_interfaces_and_of_graphics_are_there() {
    let _context = context();
    type Create = unsafe extern "C" fn(u32, *mut u32, *mut *mut c_void, *mut sys::CUlinkState) -> CUresult;
    type OfDevice = unsafe extern "C" fn(i32) -> CUresult;
    type Asked = unsafe extern "C" fn(*mut u32, *mut i32, u32, u32) -> CUresult;
    let create: Create = exported("cuLinkCreate");
    let mut link = null_mut();
    // SAFETY: the functions' own signatures, places for results.
    ok(unsafe { create(0, null_mut(), null_mut(), &mut link) });
    ok!(cuLinkDestroy(link));
    let release: OfDevice = exported("cuDevicePrimaryCtxRelease");
    // SAFETY: as above.
    assert_eq!(unsafe { release(0) }, call!(cuDevicePrimaryCtxRelease_v2(0)));
    let (mut count, mut device) = (0, 0);
    let asked: Asked = exported("cuGLGetDevices_v2");
    // SAFETY: as above.
    let code = unsafe { asked(&mut count, &mut device, 1, 1) };
    assert_eq!(code, CUresult::CUDA_ERROR_OPERATING_SYSTEM, "as on an H200 without a display");
    assert!(text(code).contains("no context of OpenGL, EGL or VDPAU is current"), "{}", text(code));
    for name in [
        "cuLinkAddData",
        "cuLinkAddFile",
        "cuModuleGetGlobal",
        "cuGraphicsGLRegisterImage",
        "cuGraphicsGLRegisterBuffer",
    ] {
        assert!(!exported::<*mut c_void>(name).is_null(), "{name}");
    }
}

/// Libraries that ask for private interfaces say nothing of it when they fail: those that end there are told, others are not.
#[test]
fn private_interfaces_that_libraries_end_without_are_told() {
    let ask = |id: u128| {
        let (mut table, id) = (std::ptr::null(), sys::CUuuid { bytes: id.to_be_bytes().map(|byte| byte as c_char) });
        call!(cuGetExportTable(&mut table, &id))
    };
    // cuFFT's first, the runtime library's, and NVRTC's, which goes on without it.
    assert_eq!(ask(0x21318c60_97143248_8ca641ff_7324c8f2), CUresult::CUDA_ERROR_NOT_SUPPORTED);
    assert_eq!(ask(0x6bd5fb6c_5bf4e74a_8987d939_12fd9df9), CUresult::CUDA_ERROR_NOT_SUPPORTED);
    assert_eq!(ask(0xda9151d3_3ae6cc41_a5c04f26_d533e328), INVALID_VALUE);
}

#[test]
fn the_second_way_to_instantiate_a_graph_tells_why_it_failed() {
    let _context = context();
    let graph = made!(cuGraphCreate(0));
    let (mut executable, mut node) = (null_mut(), null_mut());
    let mut log = [1 as c_char; 200];
    type Instantiate = unsafe extern "C" fn(
        *mut sys::CUgraphExec,
        sys::CUgraph,
        *mut sys::CUgraphNode,
        *mut c_char,
        usize,
    ) -> CUresult;
    let instantiate: Instantiate = exported("cuGraphInstantiate_v2");
    // SAFETY: live handles, places for results.
    unsafe {
        let [a, b] = [0; 2].map(|count| made!(cuGraphAddEmptyNode(graph, std::ptr::null(), count)));
        ok(instantiate(&mut executable, graph, &mut node, log.as_mut_ptr(), log.len()));
        assert_eq!(log[0], 0);
        // An edge from a node to itself, and an edge that is there already, are refused where they are made.
        assert_eq!(call!(cuGraphAddDependencies(graph, &a, &a, 1)), INVALID_VALUE);
        ok!(cuGraphAddDependencies(graph, &a, &b, 1));
        assert_eq!(call!(cuGraphAddDependencies(graph, &a, &b, 1)), INVALID_VALUE);
        ok!(cuGraphAddDependencies(graph, &b, &a, 1));
        let result = instantiate(&mut executable, graph, &mut node, log.as_mut_ptr(), log.len());
        assert_eq!(result, INVALID_VALUE);
        assert!(CStr::from_ptr(log.as_ptr()).to_string_lossy().contains("cycle"));
    }
}

#[test]
fn names_and_handles_that_do_not_exist() {
    let _context = context();
    let (module, result) = load(crate::KERNELS.as_bytes());
    ok(result);
    let (mut function, mut address, mut bytes, mut number, mut words) = (null_mut(), 0, 0, 0, std::ptr::null());
    let none = 0x1234usize;
    // SAFETY: handles are looked up, never followed; places for results.
    unsafe {
        let not_found = CUresult::CUDA_ERROR_NOT_FOUND;
        assert_eq!(call!(cuModuleGetFunction(&mut function, module, c"nothing".as_ptr())), not_found);
        assert_eq!(call!(cuModuleGetGlobal_v2(&mut address, &mut bytes, module, c"nothing".as_ptr())), not_found);
        assert_eq!(call!(cuModuleGetFunction(&mut function, none as _, c"increment".as_ptr())), INVALID_VALUE);
        assert_eq!(call!(cuModuleUnload(none as _)), INVALID_VALUE);
        assert_eq!(call!(cuGraphLaunch(none as _, null_mut())), INVALID_VALUE);
        assert_eq!(call!(cuGraphDestroy(none as _)), INVALID_VALUE);
        assert_eq!(call!(cuMemPoolDestroy(none as _)), INVALID_VALUE);
        assert_eq!(call!(cuLibraryUnload(none as _)), INVALID_VALUE);
        assert_eq!(call!(cuCtxSetCurrent(none as _)), CUresult::CUDA_ERROR_INVALID_CONTEXT);
        assert_eq!(call!(cuStreamSynchronize(none as _)), INVALID_HANDLE);
        assert_eq!(call!(cuEventQuery(none as _)), INVALID_HANDLE);
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS;
        assert_eq!(call!(cuFuncGetAttribute(&mut number, attribute, none as _)), INVALID_HANDLE);
        assert_eq!(call!(cuFuncGetName(&mut words, none as _)), INVALID_VALUE);
        assert_eq!(increment(none as _, 0, 1, null_mut()), INVALID_HANDLE);
        assert_eq!(call!(cuMemGetAddressRange_v2(&mut address, &mut bytes, 64)), not_found);
        words = c"x".as_ptr();
        let unknown = std::mem::transmute::<u32, CUresult>(999);
        ok!(cuGetErrorName(unknown, &mut words));
        assert_eq!(CStr::from_ptr(words), c"CUDA_ERROR_UNKNOWN");
    }
}

#[test]
fn constants_and_shared_memory_of_a_kernel() {
    let _context = context();
    let rest = ".const .align 4 .b8 a[10];\n.const .align 8 .b8 b[16];\n.shared .align 4 .b8 s[1000];\n\
        .visible .entry f(.param .u64 p) { .reg .b32 r; ld.shared.u32 r, [s]; st.shared.u32 [s+4], r; ret; }";
    let (module, result) = load(&module_of("8.0", "sm_50", rest));
    ok(result);
    let function = made!(cuModuleGetFunction(module, c"f".as_ptr()));
    let get = |attribute| made!(cuFuncGetAttribute(attribute, function));
    use sys::CUfunction_attribute::*;
    assert_eq!(get(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES), 32);
    assert_eq!(get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 1000);
    assert_eq!(get(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), (48 << 10) - 1000);
    let available = |blocks, threads| {
        let mut bytes = 0;
        let result = call!(cuOccupancyAvailableDynamicSMemPerBlock(&mut bytes, function, blocks, threads));
        (result, bytes)
    };
    // One block may have what a launch of this kernel may ask for, and not what the multiprocessor has.
    assert_eq!(available(1, 256), (CUresult::CUDA_SUCCESS, (48 << 10) - 1000));
    let (result, four) = available(4, 256);
    ok(result);
    let count = made!(cuOccupancyMaxActiveBlocksPerMultiprocessor(function, 256, four));
    assert!(count >= 4, "{count} blocks with {four} bytes each");
    assert_eq!(available(0, 256).0, INVALID_VALUE);
    assert_eq!(available(100, 256).0, INVALID_VALUE);
    // Static and dynamic together stay below 48 KiB until more is asked for.
    let launch = |dynamic| {
        let mut parameters = [(&raw const count).cast_mut().cast()];
        call!(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, dynamic, null_mut(), parameters.as_mut_ptr(), null_mut()))
    };
    ok(launch((48 << 10) - 1000));
    assert_eq!(launch((48 << 10) - 900), INVALID_VALUE);
}

#[test]
fn calls_that_need_no_context() {
    let _context = context();
    let (address, shared) = (device(16, 0), managed(16).as_ptr() as u64);
    std::thread::spawn(move || {
        let mut base = 0u64;
        let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR;
        let location = sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: 0 };
        let advice = sys::CUmem_advise::CU_MEM_ADVISE_SET_READ_MOSTLY;
        let current = made!(cuCtxGetCurrent());
        assert!(current.is_null());
        ok!(cuPointerGetAttribute((&raw mut base).cast(), attribute, address + 4));
        assert_eq!(base, address);
        ok!(cuMemAdvise_v2(shared, 64, advice, location));
        assert_eq!(call!(cuMemAlloc_v2(&mut base, 4)), CUresult::CUDA_ERROR_INVALID_CONTEXT);
    })
    .join()
    .unwrap();
}

#[test]
fn what_an_assembler_refuses_is_refused_at_load() {
    let _context = context();
    let empty = ".visible .entry f() { ret; }";
    let invalid = CUresult::CUDA_ERROR_INVALID_PTX;
    let shared = |bytes: u32| {
        format!(
            ".shared .align 4 .b8 s[{bytes}];\n.visible .entry f() {{ .reg .b32 r; ld.shared.u32 r, [s]; \
             st.shared.u32 [s], r; ret; }}"
        )
    };
    let parameters = |bytes: u32| format!(".visible .entry f(.param .align 4 .b8 p[{bytes}]) {{ ret; }}");
    let constants = |bytes: u32| format!(".const .align 4 .b8 c[{bytes}];\n{empty}");
    let cases: &[(&str, &str, String, CUresult, &str)] = &[
        ("99.9", "sm_50", empty.into(), CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "99.9"),
        ("8.0", "sm_999", empty.into(), invalid, "sm_999"),
        ("8.7", "sm_120", empty.into(), CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU, "sm_120"),
        ("8.0", "sm_90a", empty.into(), CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU, "sm_90a"),
        ("8.0", "sm_50", format!("{empty}\n{empty}"), invalid, "defined twice"),
        ("8.0", "sm_50", format!(".global .u32 f;\n{empty}"), invalid, "defined twice"),
        ("8.0", "sm_50", format!(".global .u32 a;\n.global .u32 a;\n{empty}"), invalid, "defined twice"),
        ("8.0", "sm_50", shared((48 << 10) + 4), invalid, "shared memory"),
        ("8.0", "sm_80", parameters(1 << 20), invalid, "parameters"),
        ("8.0", "sm_80", parameters(4356), invalid, "4352"),
        ("8.1", "sm_80", parameters(32768), invalid, "32764"),
        ("8.0", "sm_50", constants((64 << 10) + 4), invalid, "constants"),
    ];
    for (version, target, rest, expected, words) in cases {
        let (_, result) = load(&module_of(version, target, rest));
        assert_eq!(result, *expected, "{version} {target} {rest}");
        assert!(text(result).contains(words), "{}", text(result));
    }
    // These sizes are just allowed. A variable of 48 KiB and more that no kernel touches takes nothing.
    for (version, target, rest) in [
        ("8.8", "sm_89", empty.to_owned()),
        ("8.0", "sm_50", shared(48 << 10)),
        ("8.0", "sm_50", format!(".shared .align 4 .b8 s[{}];\n{empty}", 1 << 20)),
        ("8.0", "sm_80", parameters(4352)),
        ("8.1", "sm_80", parameters(32764)),
        ("8.0", "sm_50", constants(64 << 10)),
        ("8.0", "sm_50", ".extern .func g();\n.func g() { ret; }\n.visible .entry f() { ret; }".to_owned()),
    ] {
        let (_, result) = load(&module_of(version, target, &rest));
        assert_eq!(result, CUresult::CUDA_SUCCESS, "{version} {target} {rest}: {}", text(result));
    }
}

#[test]
fn a_fat_binary_that_lies_is_refused() {
    let _context = context();
    let ptx = |target: &str, name: &str| module_of("8.0", target, &format!(".visible .entry {name}() {{ ret; }}"));
    let (old, new, newer) = (ptx("sm_50", "old"), ptx("sm_80", "new"), ptx("sm_120", "newer"));
    let entries = [
        entry(1, 50, old.len() as u64, &old),
        entry(1, 120, newer.len() as u64, &newer),
        entry(1, 80, new.len() as u64, &new),
    ];
    let (module, result) = load(&contained(None, &entries));
    ok(result);
    made!(cuModuleGetFunction(module, c"new".as_ptr()));
    let invalid = CUresult::CUDA_ERROR_INVALID_IMAGE;
    assert_eq!(load(&contained(None, &[entry(1, 50, 1 << 40, &old)])).1, invalid);
    assert_eq!(load(&contained(None, &[entry(1, 50, u64::MAX, &old)])).1, invalid);
    assert_eq!(load(&contained(Some(1 << 60), &[entry(1, 50, 1 << 50, &old)])).1, invalid);
    assert_eq!(load(&contained(Some(u64::MAX), &[entry(2, 50, 1 << 33, &old)])).1, invalid);
    assert_eq!(load(&contained(None, &entries[1..2])).1, CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU);
    // nvcc's wrapper, and one that points nowhere.
    let inner = contained(None, &entries);
    for (address, expected) in [(inner.as_ptr() as u64, CUresult::CUDA_SUCCESS), (8, invalid), (u64::MAX - 3, invalid)]
    {
        let mut wrapper = vec![0xb1, 0x43, 0x62, 0x46, 1, 0, 0, 0];
        wrapper.extend_from_slice(&address.to_le_bytes());
        assert_eq!(load(&wrapper).1, expected, "{address:#x}");
    }
}

#[test]
fn nothing_can_be_allocated_in_stream_order_only() {
    let _context = context();
    let mut b = 0;
    let a = made!(cuMemAllocAsync(0, null_mut()));
    ok!(cuMemFreeAsync(a, null_mut()));
    assert_eq!(call!(cuMemAlloc_v2(&mut b, 0)), INVALID_VALUE);
}

/// No current context is an error for a default stream alone.
#[test]
fn a_stream_says_where_its_memory_comes_from() {
    let _context = context();
    let (stream, current) = (crate::stream(0), made!(cuCtxGetCurrent()));
    ok!(cuCtxSetCurrent(null_mut()));
    let a = made!(cuMemAllocAsync(64, stream));
    ok!(cuMemFreeAsync(a, stream));
    ok!(cuCtxSetCurrent(current));
}

/// Block, shared memory and parameters are set at the function, as before CUDA 4, and a launch names its grid.
#[test]
fn launches_of_a_prepared_function() {
    let _context = context();
    let body = include_str!("prepared.ptx");
    let (module, result) = load(&module_of("7.0", "sm_50", body));
    ok(result);
    type SetBlock = extern "C" fn(sys::CUfunction, i32, i32, i32) -> CUresult;
    type SetSize = extern "C" fn(sys::CUfunction, u32) -> CUresult;
    type SetNumber = extern "C" fn(sys::CUfunction, i32, u32) -> CUresult;
    type SetFloat = extern "C" fn(sys::CUfunction, i32, f32) -> CUresult;
    type SetBytes = extern "C" fn(sys::CUfunction, i32, *const c_void, u32) -> CUresult;
    type LaunchGrid = extern "C" fn(sys::CUfunction, i32, i32) -> CUresult;
    let set_number = exported::<SetNumber>("cuParamSeti");
    let launch = exported::<LaunchGrid>("cuLaunchGrid");
    let function = made!(cuModuleGetFunction(module, c"f".as_ptr()));
    let address = made!(cuMemAlloc_v2(24));
    assert_eq!(launch(function, 2, 1), INVALID_VALUE, "no block was set");
    ok(exported::<SetBlock>("cuFuncSetBlockShape")(function, 3, 1, 1));
    ok(exported::<SetSize>("cuFuncSetSharedSize")(function, 64));
    ok(exported::<SetSize>("cuParamSetSize")(function, 16));
    ok(exported::<SetBytes>("cuParamSetv")(function, 0, (&raw const address).cast(), 8));
    ok(set_number(function, 8, 100));
    ok(exported::<SetFloat>("cuParamSetf")(function, 12, 7.5));
    ok(launch(function, 2, 1));
    assert_eq!(words(address), [107, 108, 109, 110, 111, 112]);
    assert_eq!(set_number(function, -4, 1), INVALID_VALUE);
    ok!(cuMemFree_v2(address));
}

/// A context that was attached to is destroyed by its last user.
#[test]
fn the_last_user_of_a_context_ends_it() {
    let _context = context();
    type Attach = extern "C" fn(*mut sys::CUcontext, u32) -> CUresult;
    type Detach = extern "C" fn(sys::CUcontext) -> CUresult;
    let detach = exported::<Detach>("cuCtxDetach");
    let (mut attached, mut version) = (null_mut(), 0);
    let made = made!(cuCtxCreate_v2(0, 0));
    ok(exported::<Attach>("cuCtxAttach")(&mut attached, 0));
    assert_eq!(attached, made);
    ok(detach(made));
    ok!(cuCtxGetApiVersion(made, &mut version));
    ok(detach(made));
    assert_ne!(call!(cuCtxGetApiVersion(made, &mut version)), CUresult::CUDA_SUCCESS);
}
