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
#[macro_use]
mod under_sim;

use libtest_mimic::{Arguments, Failed, Trial};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::process::ExitCode;
use std::ptr::{null, null_mut};
use under_sim::{Loaded, said, under_sim};

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
    let words = ["--as-program".as_ref(), library.as_ref(), version.as_ref()];
    let told = said(under_sim(&["--allow-faults"], &words).env("LABS_SIM_LOG", "1"))?;
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

const TO_DEVICE: c_int = 1;
const TO_HOST: c_int = 2;

fn program(library: &str, version: &str) {
    let runtime = Loaded::new(library);
    // All that is registered lives as long as the program.
    let [affine, beyond] = [0u8; 2].map(|stand_in| Box::into_raw(Box::new(stand_in)));
    let (factor, launches) = (Box::into_raw(Box::new([0f32; 2])), Box::into_raw(Box::new(0i32)));
    let noted: *mut *mut i32 = Box::into_raw(Box::new(null_mut()));
    let image = register(&runtime, &[(affine, c"affine"), (beyond, c"beyond")]);
    call!(runtime.__cudaRegisterVar(image, factor, 0, c"factor".as_ptr(), 0, 8, 1, 0));
    call!(runtime.__cudaRegisterVar(image, launches, 0, c"launches".as_ptr(), 0, 4, 0, 0));
    call!(runtime.__cudaRegisterManagedVar(image, noted, 0, c"noted".as_ptr(), 0, 4, 0, 0));
    call!(runtime.__cudaRegisterFatBinaryEnd(image));
    assert_eq!(call!(runtime.__cudaInitModule(image)) as u8, 1);
    // SAFETY: the runtime has written the address of a number that the host sees.
    let note = || unsafe { **noted };
    assert_eq!(note(), 5, "a managed variable is initialised, and the host sees it");

    versions_and_properties(&runtime, version);
    launches_and_variables(&runtime, affine, factor, launches);
    assert_eq!(note(), 7);
    what_is_refused(&runtime, affine);
    a_fault_and_a_reset(&runtime, affine, beyond);
}

fn register(runtime: &Loaded, kernels: &[(*mut u8, &CStr)]) -> Raw {
    let wrapper = Box::into_raw(Box::new(Wrapper(0x4662_43b1, 1, IMAGE.as_ptr().cast(), null())));
    let register: unsafe extern "C" fn(Raw) -> Raw = runtime.function("__cudaRegisterFatBinary");
    // SAFETY: the generated code's signature; wrapper and image live on.
    let image = unsafe { register(wrapper.cast()) };
    for (stand_in, name) in kernels {
        call!(runtime.__cudaRegisterFunction(image, *stand_in, 0, name.as_ptr(), -1i32, 0, 0, 0, 0, 0));
    }
    image
}

fn versions_and_properties(runtime: &Loaded, version: &str) {
    let (mut number, mut free, mut total) = (0i32, 0usize, 0usize);
    let mut properties = [0u64; 1032 / 8];
    done!(runtime.cudaRuntimeGetVersion(&raw mut number));
    assert_eq!((number / 1000).to_string(), version);
    done!(runtime.cudaGetDeviceCount(&raw mut number));
    assert_eq!(number, 1);
    let name = if version == "12" { "cudaGetDeviceProperties_v2" } else { "cudaGetDeviceProperties" };
    assert_eq!(runtime.call(name, &[properties.as_mut_ptr() as usize, 0]), 0);
    done!(runtime.cudaMemGetInfo(&raw mut free, &raw mut total));
    // The name has 256 bytes, then come 28 of identifiers.
    assert_eq!(properties[288 / 8], total as u64);
    assert_ne!(properties[0], 0, "the device has a name");
}

/// `affine<<<2, 64>>>(x, n, add)`, as the generated code does it.
fn launch(runtime: &Loaded, kernel: *mut u8, block: Dim3, mut x: Raw, mut n: c_int, mut add: f32) -> c_int {
    let mut parameters = [(&raw mut x).cast::<c_void>(), (&raw mut n).cast(), (&raw mut add).cast()];
    let (mut grid, mut popped, mut shared, mut stream) = (Dim3(0, 0, 0), Dim3(0, 0, 0), 0usize, null_mut());
    type Launch = unsafe extern "C" fn(Raw, Dim3, Dim3, *mut Raw, usize, Raw) -> c_int;
    let push: unsafe extern "C" fn(Dim3, Dim3, usize, Raw) -> c_int = runtime.function("__cudaPushCallConfiguration");
    // SAFETY: the generated code's signatures, and the kernel's parameters.
    unsafe {
        assert_eq!(push(Dim3(2, 1, 1), block, 0, null_mut()), 0);
        done!(runtime.__cudaPopCallConfiguration(&raw mut grid, &raw mut popped, &raw mut shared, &raw mut stream));
        let launch: Launch = runtime.function("cudaLaunchKernel");
        launch(kernel.cast(), grid, popped, parameters.as_mut_ptr(), shared, stream)
    }
}

fn launches_and_variables(runtime: &Loaded, affine: *mut u8, factor: *mut [f32; 2], launches: *mut i32) {
    let (mut x, mut host, mut bytes, mut counted): (Raw, _, _, _) = (null_mut(), [0f32; 100], 0usize, 0i32);
    host.iter_mut().enumerate().for_each(|(i, value)| *value = i as f32);
    let scale = [2.0f32, 0.5];
    done!(runtime.cudaMalloc(&raw mut x, 400));
    done!(runtime.cudaMemcpy(x, host.as_mut_ptr(), 400, TO_DEVICE));
    assert_eq!(launch(runtime, affine, Dim3(64, 1, 1), x, 100, 1.0), 0);
    done!(runtime.cudaGetSymbolSize(&raw mut bytes, factor));
    assert_eq!(bytes, 8);
    done!(runtime.cudaMemcpyToSymbol(factor, scale.as_ptr(), 8, 0, TO_DEVICE));
    assert_eq!(launch(runtime, affine, Dim3(64, 1, 1), x, 100, 1.0), 0);
    done!(runtime.cudaMemcpy(host.as_mut_ptr(), x, 400, TO_HOST));
    for (i, value) in host.iter().enumerate() {
        assert_eq!(*value, 2.0 * (i as f32 + 1.0) + 1.5);
    }
    done!(runtime.cudaMemcpyFromSymbol(&raw mut counted, launches, 4, 0, TO_HOST));
    assert_eq!(counted, 2);
    done!(runtime.cudaFree(x));
    // As `cudaFree` does, for programs that free what they did not allocate (Warp).
    done!(runtime.cudaFreeAsync(0, 0));
}

fn what_is_refused(runtime: &Loaded, affine: *mut u8) {
    let mut unknown = 0u64;
    let unknown = (&raw mut unknown).cast::<u8>();
    let name: unsafe extern "C" fn(c_int) -> *const c_char = runtime.function("cudaGetErrorName");
    for (code, want, called) in [
        (launch(runtime, affine, Dim3(2048, 1, 1), null_mut(), 0, 0.0), 9, c"cudaErrorInvalidConfiguration"),
        (launch(runtime, unknown, Dim3(32, 1, 1), null_mut(), 0, 0.0), 98, c"cudaErrorInvalidDeviceFunction"),
        (call!(runtime.cudaMemcpyToSymbol(unknown, unknown, 4, 0, TO_DEVICE)), 13, c"cudaErrorInvalidSymbol"),
        (call!(runtime.cudaMemcpy(unknown, unknown, 4, 7)), 21, c"cudaErrorInvalidMemcpyDirection"),
        (call!(runtime.cudaGLMapBufferObject()), 801, c"cudaErrorNotSupported"),
    ] {
        assert_eq!(code, want);
        // SAFETY: the function's own signature; it answers a text.
        assert_eq!(unsafe { CStr::from_ptr(name(code)) }, called);
    }
    let last = [call!(runtime.cudaGetLastError()), call!(runtime.cudaGetLastError())];
    assert_eq!(last, [801, 0], "the last error is told once");
}

fn a_fault_and_a_reset(runtime: &Loaded, affine: *mut u8, beyond: *mut u8) {
    let mut x: Raw = null_mut();
    let words: unsafe extern "C" fn(c_int) -> *const c_char = runtime.function("cudaGetErrorString");
    done!(runtime.cudaMalloc(&raw mut x, 400));
    assert_eq!(launch(runtime, beyond, Dim3(1, 1, 1), x, 100, 0.0), 0);
    assert_eq!(call!(runtime.cudaDeviceSynchronize()), 700);
    // SAFETY: the function's own signature; it answers a text.
    let said = unsafe { CStr::from_ptr(words(700)) }.to_string_lossy();
    assert!(said.contains("beyond"), "the driver's diagnosis names the kernel: {said}");
    assert_eq!(call!(runtime.cudaMalloc(&raw mut x, 400)), 700, "a fault stays");
    done!(runtime.cudaDeviceReset());
    done!(runtime.cudaMalloc(&raw mut x, 400));
    assert_eq!(launch(runtime, affine, Dim3(64, 1, 1), x, 100, 1.0), 0);
    done!(runtime.cudaDeviceSynchronize());
}
