//! The runtime libraries (`libcudart.so.12` and `.13`) over the simulated driver, called as the code that `nvcc` generates calls
//! them: an image from `nvcc` is registered with stand-ins on the host, and launched through them.
//!
//! The command under `sim` is this program itself, started with `--as-program LIBRARY VERSION`. Where a library under NVIDIA's name
//! lies, which is not the project's, it is one that the C compiler made here (`runtime/stand_in.rs`). So is one that is linked into a program
//! or a library (`runtime/linked_in.rs`).
#![allow(unsafe_code)]

#[path = "runtime/linked_in.rs"]
mod linked_in;
#[path = "runtime/stand_in.rs"]
mod stand_in;

use libloading::Library;
use libtest_mimic::{Arguments, Failed, Trial};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::ptr::{null, null_mut};

/// The image that `nvcc` made of `runtime/kernels.cu`; the driver reads it where it lies.
static IMAGE: &[u8] = include_bytes!("runtime/kernels.fatbin");

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    if words.next().as_deref() == Some("--as-program") {
        program(&words.next().expect("a library"), &words.next().expect("a version"));
        return ExitCode::SUCCESS;
    }
    let mut trials = Vec::new();
    for version in ["12", "13"] {
        let by_name = move || whole_program(format!("libcudart.so.{version}").as_ref(), version);
        trials.push(Trial::test(format!("runtime_{version}"), by_name));
        let by_path = move || whole_program(&stand_in::library(&format!("libcudart.so.{version}")), version);
        trials.push(Trial::test(format!("runtime_{version}_by_a_path"), by_path));
    }
    trials.push(Trial::test("by_a_library_s_own_list_of_folders", || linked(&[])));
    trials.push(Trial::test("by_the_list_behind_the_folders_of_sim", || linked(&["-Wl,--enable-new-dtags"])));
    trials.push(Trial::test("by_the_name_of_a_wheel_s_copy", stand_in::copies));
    trials.extend(linked_in::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn whole_program(library: &Path, version: &str) -> Result<(), Failed> {
    let this = std::env::current_exe()?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_sim"));
    command.arg("--allow-faults");
    let told = stand_in::said(command.arg(this).arg("--as-program").arg(library).arg(version))?;
    let says = library.is_absolute().then(|| format!("{}: this project's libcudart.so.{version}", library.display()));
    if says.is_none_or(|says| told.contains(&says)) { Ok(()) } else { Err(told.into()) }
}

/// A program that finds the library by the list of folders in it, which a stand-in's folder is on.
fn linked(options: &[&str]) -> Result<(), Failed> {
    let program = stand_in::program("libcudart.so.13", options);
    stand_in::finds_the_project_s(&program, "13")
}

/// `dim3`
#[repr(C)]
#[derive(Clone, Copy)]
struct Dim3(u32, u32, u32);

/// `__fatBinC_Wrapper_t`
#[repr(C)]
struct Wrapper(u32, u32, *const c_void, *const c_void);

type Raw = *mut c_void;

/// The functions that the program calls, by their C signatures.
struct Runtime(Library);

impl Runtime {
    fn call<F: Copy>(&self, name: &str) -> F {
        // SAFETY: each caller names a function with its own signature.
        unsafe { *self.0.get::<F>(name).unwrap_or_else(|error| panic!("{name}: {error}")) }
    }
}

fn ok(code: u32) {
    assert_eq!(code, 0, "a call failed");
}

const TO_DEVICE: c_int = 1;
const TO_HOST: c_int = 2;

fn program(library: &str, version: &str) {
    // SAFETY: loading it runs no code of ours.
    let runtime = Runtime(unsafe { Library::new(library) }.expect("sim has it"));
    // SAFETY: all calls below keep to the C signatures, and what they write has room.
    unsafe {
        let (affine, beyond) = (Box::into_raw(Box::new(0u8)), Box::into_raw(Box::new(0u8)));
        let (factor, launches) = (Box::into_raw(Box::new([0f32; 2])), Box::into_raw(Box::new(0i32)));
        let noted: *mut *mut i32 = Box::into_raw(Box::new(null_mut()));
        let image = register(&runtime, &[(affine, c"affine"), (beyond, c"beyond")]);
        type Variable = unsafe extern "C" fn(Raw, Raw, *const c_char, *const c_char, c_int, usize, c_int, c_int);
        let variable: Variable = runtime.call("__cudaRegisterVar");
        variable(image, factor.cast(), null(), c"factor".as_ptr(), 0, 8, 1, 0);
        variable(image, launches.cast(), null(), c"launches".as_ptr(), 0, 4, 0, 0);
        let managed: Variable = runtime.call("__cudaRegisterManagedVar");
        managed(image, noted.cast(), null(), c"noted".as_ptr(), 0, 4, 0, 0);
        let end: unsafe extern "C" fn(Raw) = runtime.call("__cudaRegisterFatBinaryEnd");
        end(image);
        let start: unsafe extern "C" fn(Raw) -> c_char = runtime.call("__cudaInitModule");
        assert_eq!(start(image), 1);
        assert_eq!(**noted, 5, "a managed variable is initialised, and the host sees it");

        versions_and_properties(&runtime, version);
        launches_and_variables(&runtime, affine.cast(), factor.cast(), launches.cast());
        assert_eq!(**noted, 7);
        what_is_refused(&runtime, affine.cast());
        a_fault_and_a_reset(&runtime, affine.cast(), beyond.cast());
    }
}

unsafe fn register(runtime: &Runtime, kernels: &[(*mut u8, &CStr)]) -> Raw {
    let wrapper = Box::into_raw(Box::new(Wrapper(0x4662_43b1, 1, IMAGE.as_ptr().cast(), null())));
    // SAFETY: the generated code's signatures; wrapper and image live on.
    unsafe {
        let image: unsafe extern "C" fn(Raw) -> Raw = runtime.call("__cudaRegisterFatBinary");
        let image = image(wrapper.cast());
        type Kernel = unsafe extern "C" fn(Raw, Raw, Raw, *const c_char, c_int, Raw, Raw, Raw, Raw, Raw);
        let kernel: Kernel = runtime.call("__cudaRegisterFunction");
        for (stand_in, name) in kernels {
            let none = null_mut();
            kernel(image, stand_in.cast(), none, name.as_ptr(), -1, none, none, none, none, none);
        }
        image
    }
}

unsafe fn versions_and_properties(runtime: &Runtime, version: &str) {
    let (mut number, mut free, mut total) = (0, 0usize, 0usize);
    let mut properties = [0u64; 1032 / 8];
    // SAFETY: places as wide as the interface's.
    unsafe {
        ok(runtime.call::<unsafe extern "C" fn(*mut c_int) -> u32>("cudaRuntimeGetVersion")(&mut number));
        assert_eq!((number / 1000).to_string(), version);
        ok(runtime.call::<unsafe extern "C" fn(*mut c_int) -> u32>("cudaGetDeviceCount")(&mut number));
        assert_eq!(number, 1);
        let name = if version == "12" { "cudaGetDeviceProperties_v2" } else { "cudaGetDeviceProperties" };
        ok(runtime.call::<unsafe extern "C" fn(Raw, c_int) -> u32>(name)(properties.as_mut_ptr().cast(), 0));
        ok(runtime.call::<unsafe extern "C" fn(*mut usize, *mut usize) -> u32>("cudaMemGetInfo")(
            &mut free, &mut total,
        ));
    }
    // The name has 256 bytes, then come 28 of identifiers.
    assert_eq!(properties[288 / 8], total as u64);
    assert_ne!(properties[0], 0, "the device has a name");
}

/// `affine<<<2, 64>>>(x, n, add)`, as the generated code does it.
unsafe fn launch(runtime: &Runtime, kernel: Raw, block: Dim3, mut x: Raw, mut n: c_int, mut add: f32) -> u32 {
    let mut parameters = [(&raw mut x).cast::<c_void>(), (&raw mut n).cast(), (&raw mut add).cast()];
    let (mut grid, mut popped, mut shared, mut stream) = (Dim3(0, 0, 0), Dim3(0, 0, 0), 0usize, null_mut());
    // SAFETY: the generated code's signatures, and the kernel's parameters.
    unsafe {
        let push: unsafe extern "C" fn(Dim3, Dim3, usize, Raw) -> u32 = runtime.call("__cudaPushCallConfiguration");
        assert_eq!(push(Dim3(2, 1, 1), block, 0, null_mut()), 0);
        type Pop = unsafe extern "C" fn(*mut Dim3, *mut Dim3, *mut usize, *mut Raw) -> u32;
        ok(runtime.call::<Pop>("__cudaPopCallConfiguration")(&mut grid, &mut popped, &mut shared, &mut stream));
        type Launch = unsafe extern "C" fn(Raw, Dim3, Dim3, *mut Raw, usize, Raw) -> u32;
        runtime.call::<Launch>("cudaLaunchKernel")(kernel, grid, popped, parameters.as_mut_ptr(), shared, stream)
    }
}

type CopyCall = unsafe extern "C" fn(Raw, Raw, usize, c_int) -> u32;
type SymbolCopy = unsafe extern "C" fn(Raw, Raw, usize, usize, c_int) -> u32;
type Allocate = unsafe extern "C" fn(*mut Raw, usize) -> u32;

unsafe fn launches_and_variables(runtime: &Runtime, affine: Raw, factor: Raw, launches: Raw) {
    let (mut x, mut host, mut bytes, mut counted) = (null_mut(), [0f32; 100], 0usize, 0i32);
    host.iter_mut().enumerate().for_each(|(i, value)| *value = i as f32);
    let mut scale = [2.0f32, 0.5];
    // SAFETY: places as wide as what is copied.
    unsafe {
        ok(runtime.call::<Allocate>("cudaMalloc")(&mut x, 400));
        ok(runtime.call::<CopyCall>("cudaMemcpy")(x, host.as_mut_ptr().cast(), 400, TO_DEVICE));
        ok(launch(runtime, affine, Dim3(64, 1, 1), x, 100, 1.0));
        let size: unsafe extern "C" fn(*mut usize, Raw) -> u32 = runtime.call("cudaGetSymbolSize");
        ok(size(&mut bytes, factor));
        assert_eq!(bytes, 8);
        let to_symbol: SymbolCopy = runtime.call("cudaMemcpyToSymbol");
        ok(to_symbol(factor, scale.as_mut_ptr().cast(), 8, 0, TO_DEVICE));
        ok(launch(runtime, affine, Dim3(64, 1, 1), x, 100, 1.0));
        ok(runtime.call::<CopyCall>("cudaMemcpy")(host.as_mut_ptr().cast(), x, 400, TO_HOST));
        for (i, value) in host.iter().enumerate() {
            assert_eq!(*value, 2.0 * (i as f32 + 1.0) + 1.5);
        }
        let from_symbol: SymbolCopy = runtime.call("cudaMemcpyFromSymbol");
        ok(from_symbol((&raw mut counted).cast(), launches, 4, 0, TO_HOST));
        assert_eq!(counted, 2);
        ok(runtime.call::<unsafe extern "C" fn(Raw) -> u32>("cudaFree")(x));
        // As `cudaFree` does, for programs that free what they did not allocate (Warp).
        ok(runtime.call::<unsafe extern "C" fn(Raw, Raw) -> u32>("cudaFreeAsync")(null_mut(), null_mut()));
    }
}

unsafe fn what_is_refused(runtime: &Runtime, affine: Raw) {
    let mut unknown = 0u64;
    let unknown: Raw = (&raw mut unknown).cast();
    let last: extern "C" fn() -> u32 = runtime.call("cudaGetLastError");
    let name: unsafe extern "C" fn(u32) -> *const c_char = runtime.call("cudaGetErrorName");
    // SAFETY: as above; what is refused is not read.
    unsafe {
        for (code, want, called) in [
            (launch(runtime, affine, Dim3(2048, 1, 1), null_mut(), 0, 0.0), 9, c"cudaErrorInvalidConfiguration"),
            (launch(runtime, unknown, Dim3(32, 1, 1), null_mut(), 0, 0.0), 98, c"cudaErrorInvalidDeviceFunction"),
            (
                runtime.call::<SymbolCopy>("cudaMemcpyToSymbol")(unknown, unknown, 4, 0, TO_DEVICE),
                13,
                c"cudaErrorInvalidSymbol",
            ),
            (runtime.call::<CopyCall>("cudaMemcpy")(unknown, unknown, 4, 7), 21, c"cudaErrorInvalidMemcpyDirection"),
            (runtime.call::<unsafe extern "C" fn() -> u32>("cudaGLMapBufferObject")(), 801, c"cudaErrorNotSupported"),
        ] {
            assert_eq!(code, want);
            assert_eq!(CStr::from_ptr(name(code)), called);
        }
    }
    assert_eq!((last(), last()), (801, 0), "the last error is told once");
}

unsafe fn a_fault_and_a_reset(runtime: &Runtime, affine: Raw, beyond: Raw) {
    let mut x = null_mut();
    let synchronize: extern "C" fn() -> u32 = runtime.call("cudaDeviceSynchronize");
    let reset: extern "C" fn() -> u32 = runtime.call("cudaDeviceReset");
    let words: unsafe extern "C" fn(u32) -> *const c_char = runtime.call("cudaGetErrorString");
    // SAFETY: as above.
    unsafe {
        ok(runtime.call::<Allocate>("cudaMalloc")(&mut x, 400));
        ok(launch(runtime, beyond, Dim3(1, 1, 1), x, 100, 0.0));
        assert_eq!(synchronize(), 700);
        let said = CStr::from_ptr(words(700)).to_string_lossy();
        assert!(said.contains("beyond"), "the driver's diagnosis names the kernel: {said}");
        assert_eq!(runtime.call::<Allocate>("cudaMalloc")(&mut x, 400), 700, "a fault stays");
        ok(reset());
        ok(runtime.call::<Allocate>("cudaMalloc")(&mut x, 400));
        ok(launch(runtime, affine, Dim3(64, 1, 1), x, 100, 1.0));
        ok(synchronize());
    }
}
