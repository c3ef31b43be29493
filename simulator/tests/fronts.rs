//! The fronts of NVIDIA's compilers (`simulator/fronts/`, and `sim` in ptxas's place): a program under `sim` that asks for machine code gets PTX,
//! however it loads or starts them.
//!
//! The command under `sim` is this program itself, started with `--as-program WORD PATH`. What lies at the path is NVRTC
//! where there is one; else, and for nvJitLink, some library under that name, since a front stands only where a library is.
#![allow(unsafe_code)]

#[macro_use]
mod under_sim;

use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use libtest_mimic::{Arguments, Failed, Trial};
use std::ffi::{CStr, CString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use under_sim::{Loaded, said, under_sim};

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    if words.next().as_deref() == Some("--as-program") {
        let (what, path) = (words.next().expect("what to do"), words.next().expect("a library or a folder"));
        match what.as_str() {
            "assemble" => assemble(Path::new(&path)),
            "link" => link(&Loaded::new(path)),
            "compile" => compile(&Loaded::new(path)),
            _ => without_a_library_behind(&Loaded::new(path)),
        }
        return ExitCode::SUCCESS;
    }
    let trials = vec![
        Trial::test("a_program_with_many_thread_locals_starts", || {
            // rustc's library has 23,688 bytes of them, more than the loader keeps for programs that it audits.
            let shown = Command::new(env!("CARGO_BIN_EXE_sim")).args(["--allow-refused", "rustc", "-vV"]).output()?;
            let text = String::from_utf8_lossy(&shown.stdout);
            if shown.status.success() && text.contains("rustc") { Ok(()) } else { Err(format!("{shown:?}").into()) }
        }),
        Trial::test("nvjitlink_links_ptx", || {
            program(&[], "link", &stand_in("libnvJitLink.so.12"), "3 inputs linked as PTX")
        }),
        Trial::test("a_front_without_its_library_says_so", || program(&[], "version", &stand_in("libnvrtc.so.13"), "")),
        Trial::test("a_caller_of_ptxas_gets_ptx", || {
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ptxas");
            std::fs::create_dir_all(&folder).expect("a folder");
            program(&[], "assemble", &folder, "")
        }),
        Trial::test("nvrtc_answers_ptx_for_machine_code", || match nvrtc() {
            Some(path) => {
                program(&[], "compile", &path, "nvrtcCompileProgram: PTX in place of machine code, by the options ")?;
                program(&["--sanitize"], "compile", &path, "PTX in place of machine code, with line information")
            }
            None => {
                eprintln!("there is no NVRTC here: only that its front is opened was tried");
                Ok(())
            }
        }),
        Trial::test("nvrtc_is_found_beside_sim", || match nvrtc() {
            Some(_) => program(&[], "compile", Path::new("libnvrtc.so"), "PTX in place of machine code"),
            None => {
                eprintln!("there is no NVRTC here: nothing was looked for");
                Ok(())
            }
        }),
        Trial::test("a_program_that_lacks_nvrtc_is_told_of_it", || {
            let mut command = under_sim(&[], &["--as-program", "version", "libnvrtc.so"].map(AsRef::as_ref));
            let output = command.env("LABS_NVRTC", "/nowhere").env_remove("LD_LIBRARY_PATH").output()?;
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            // A system may have its own, in a folder of the loader's.
            let lacks = told.contains("libnvrtc.so: dlopen failed");
            let words = told.contains("== NVRTC was asked for by its name") && told.contains("next: pip install ");
            if lacks == words { Ok(()) } else { Err(told.into()) }
        }),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Some library under a name of NVIDIA's, in a folder of its own.
fn stand_in(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fronts");
    std::fs::create_dir_all(&folder).expect("a folder");
    let some = std::env::current_exe().expect("a path").with_file_name("libcudart12.so");
    let path = folder.join(name);
    std::fs::copy(&some, &path).unwrap_or_else(|error| panic!("{}: {error}", some.display()));
    path
}

/// The NVRTC of this machine, as a path.
fn nvrtc() -> Option<PathBuf> {
    let described = kernels::compiler().ok()?;
    Some(PathBuf::from(described.rsplit(", ").next()?)).filter(|path| path.is_absolute())
}

fn program(flags: &[&str], what: &str, path: &Path, says: &str) -> Result<(), Failed> {
    let mut command = under_sim(flags, &["--as-program".as_ref(), what.as_ref(), path.as_ref()]);
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let told = said(command.env("LABS_SIM_LOG", "1").env("XDG_CACHE_HOME", cache))?;
    if told.contains(says) { Ok(()) } else { Err(told.into()) }
}

/// The answers of two functions: a size, then as many bytes. The last is NUL.
fn answer(front: &Loaded, name: &str, handle: usize) -> String {
    let mut bytes = 0usize;
    assert_eq!(front.call(&format!("{name}Size"), &[handle, &raw mut bytes as usize]), 0, "{name}Size");
    let mut text = vec![1u8; bytes];
    assert_eq!(front.call(name, &[handle, text.as_mut_ptr() as usize]), 0, "{name}");
    CString::from_vec_with_nul(text).expect("a text").into_string().expect("UTF-8")
}

const HEAD: &str = ".version 7.0\n.target sm_75\n.address_size 64\n";
const KERNEL: &str = ".extern .func (.param .b32 r) square (.param .b32 x);
.visible .entry squares (.param .u64 at) {
    .reg .b32 %r<3>; .reg .b64 %d<4>;
    mov.u32 %r1, %tid.x;
    { .param .b32 x; .param .b32 r; st.param.b32 [x], %r1; call.uni (r), square, (x); ld.param.b32 %r2, [r]; }
    ld.param.u64 %d1, [at]; cvta.to.global.u64 %d1, %d1; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;
    st.global.u32 [%d3], %r2; ret; }\n";
const FUNCTION: &str = ".visible .func (.param .b32 r) square (.param .b32 x) {
    .reg .b32 %r<2>; ld.param.b32 %r1, [x]; mul.lo.u32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret; }\n";

/// The inputs are PTX, PTX where intermediate code is said to come, and PTX where machine code is.
fn link(front: &Loaded) {
    let texts = [KERNEL, FUNCTION, ".visible .entry empty () { ret; }\n"].map(|text| format!("{HEAD}{text}"));
    let (mut link, mut incomplete, mut version) = (0usize, 0usize, [0u32; 2]);
    let options = [c"-lto".as_ptr(), c"-arch=sm_75".as_ptr()];
    assert_eq!(call!(front.nvJitLinkCreate(&raw mut link, 1, options.as_ptr())), 2, "no architecture");
    done!(front.__nvJitLinkCreate_12_9(&raw mut link, 2, options.as_ptr()));
    for (text, kind) in texts.iter().zip([2, 3, 1]) {
        done!(front.nvJitLinkAddData(link, kind, text.as_ptr(), text.len(), 0));
    }
    assert_eq!(call!(front.nvJitLinkComplete(link)), 0, "{}", answer(front, "nvJitLinkGetErrorLog", link));
    let linked = answer(front, "nvJitLinkGetLinkedCubin", link);
    assert_eq!(linked, answer(front, "nvJitLinkGetLinkedPtx", link));
    assert_eq!(run(&linked, "squares")[..4], [0, 1, 4, 9]);

    done!(front.nvJitLinkCreate(&raw mut incomplete, 2, options.as_ptr()));
    done!(front.nvJitLinkAddData(incomplete, 10, texts[0].as_ptr(), texts[0].len(), c"one".as_ptr()));
    assert_eq!(call!(front.nvJitLinkComplete(incomplete)), 6);
    let error = answer(front, "nvJitLinkGetErrorLog", incomplete);
    assert!(error.contains("square") && error.contains("one"), "{error}");
    let machine_code = b"\x7fELF\0\0\0\0";
    done!(front.nvJitLinkAddData(incomplete, 1, machine_code.as_ptr(), machine_code.len(), 0));
    assert_eq!(call!(front.nvJitLinkComplete(incomplete)), 6);
    assert!(answer(front, "nvJitLinkGetErrorLog", incomplete).contains("a CUBIN"));

    done!(front.nvJitLinkDestroy(&raw mut link));
    assert_eq!(link, 0);
    assert_ne!(call!(front.nvJitLinkDestroy(&raw mut link)), 0, "it is destroyed already");
    done!(front.nvJitLinkVersion(&raw mut version[0], &raw mut version[1]));
    assert_eq!(version, [12, 9]);
}

/// Runs a kernel of a module with a place for 32 numbers.
fn run(ptx: &str, kernel: &str) -> Vec<u32> {
    let context = CudaContext::new(0).expect("a device");
    let stream = context.default_stream();
    let module = context.load_module(cudarc::nvrtc::Ptx::from_src(ptx)).expect("a module");
    let function = module.load_function(kernel).expect("its kernel");
    let mut numbers = stream.alloc_zeros::<u32>(32).expect("memory");
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the kernel takes the address of as many numbers as it has threads.
    unsafe { stream.launch_builder(&function).arg(&mut numbers).launch(config) }.expect("a launch");
    stream.clone_dtoh(&numbers).expect("a copy")
}

/// As Triton's JIT does: by the paths of two variables, with the version asked first, and what is assembled loaded as it is.
fn assemble(folder: &Path) {
    let (source, output) = (folder.join("kernel.ptx"), folder.join("kernel.ptx.o"));
    let kernel = ".visible .entry twice (.param .u64 at) {
        .reg .b32 %r<3>; .reg .b64 %d<4>; mov.u32 %r1, %tid.x; add.u32 %r2, %r1, %r1; ld.param.u64 %d1, [at];
        mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r2; ret; }\n";
    std::fs::write(&source, format!("{HEAD}{kernel}")).expect("a file");
    for (variable, release) in
        [("TRITON_PTXAS_PATH", "release 12.9, "), ("TRITON_PTXAS_BLACKWELL_PATH", "release 13.0, ")]
    {
        let ptxas = std::env::var_os(variable).unwrap_or_else(|| panic!("{variable} is not set"));
        let call = |words: &[&std::ffi::OsStr]| {
            let output = Command::new(&ptxas).args(words).output().expect("it starts");
            let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text"));
            (output.status.code(), text.concat())
        };
        let (code, version) = call(&["--version".as_ref()]);
        assert!(code == Some(0) && version.contains(release) && version.contains("sim "), "{version}");
        let _ = std::fs::remove_file(&output);
        let words = ["-lineinfo", "-v", "--opt-level", "0", "--gpu-name=sm_90a"].map(std::ffi::OsStr::new);
        let (code, told) = call(&[&words[..], &[source.as_ref(), "-o".as_ref(), output.as_ref()]].concat());
        assert_eq!(code, Some(0), "{told}");
        assert!(told.contains("entry function 'twice' for 'sm_90a'") && told.contains(" registers, "), "{told}");
        let written = std::fs::read_to_string(&output).expect("written");
        // A driver that gets these bytes as they are reads them up to the NUL.
        let text = written.strip_suffix('\0').expect("the text ends in NUL");
        assert_eq!(run(text, "twice")[..4], [0, 2, 4, 6]);
        let (code, told) = call(&["-v".as_ref(), "-o".as_ref(), output.as_ref()]);
        assert!(code == Some(255) && told.contains("0 files of PTX"), "the output is no input: {told}");
        std::fs::write(&output, "no text of PTX").expect("a file");
        let (code, told) = call(&[output.as_ref()]);
        assert!(code == Some(255) && told.contains("kernel.ptx.o, line 1; fatal"), "{told}");
    }
}

/// NVRTC is asked for machine code, and for intermediate code.
fn compile(front: &Loaded) {
    let source = c"extern \"C\" __global__ void thrice(unsigned *x) { x[threadIdx.x] = 3 * threadIdx.x; }";
    let compiled = |options: &[&CStr], name: &str| {
        let mut program = 0usize;
        let pointers: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        done!(front.nvrtcCreateProgram(&raw mut program, source.as_ptr(), 0, 0, 0, 0));
        let code = call!(front.nvrtcCompileProgram(program, pointers.len(), pointers.as_ptr()));
        assert_eq!(code, 0, "{}", answer(front, "nvrtcGetProgramLog", program));
        let text = answer(front, name, program);
        assert_eq!(text, answer(front, "nvrtcGetPTX", program));
        done!(front.nvrtcDestroyProgram(&raw mut program));
        text
    };
    for options in [&[c"-arch=sm_75"][..], &[c"--gpu-architecture", c"sm_80", c"--ptxas-options=-v"]] {
        assert_eq!(run(&compiled(options, "nvrtcGetCUBIN"), "thrice")[..4], [0, 3, 6, 9]);
    }
    let text = compiled(&[c"-dlto", c"-arch=sm_75"], "nvrtcGetLTOIR");
    assert!(text.contains(".visible .entry thrice"));
    // A source without a file lies in one where lines are told of, and only there.
    let kept = text.split('"').find(|part| part.ends_with("default_program"));
    let kept = kept.map(|path| std::fs::read_to_string(path).expect("a kept source"));
    let is_wanted = std::env::var_os("LABS_SIM_SOURCES").is_some();
    assert_eq!(kept.as_deref(), is_wanted.then(|| source.to_str().expect("text")));
}

/// The library behind the front has none of NVRTC's functions.
fn without_a_library_behind(front: &Loaded) {
    let [mut major, mut minor] = [0i32; 2];
    assert_eq!(call!(front.nvrtcVersion(&raw mut major, &raw mut minor)), 11, "an internal error");
}
