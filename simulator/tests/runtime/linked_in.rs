//! Programs and libraries into which a stand-in of NVIDIA's runtime library is linked, with its symbols or stripped. Each function of the
//! stand-in answers a failure, so that nothing works but where all of them are replaced before the first constructor runs.
use super::stand_in::{compile, folder, text, write};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The functions that generated code calls, in the order of NVIDIA's library and with its bytes each. Only one of them takes the text of its own name.
const REGISTRATION: &str = "cudaGetExportTable:74 __cudaRegisterFatBinary:43 __cudaRegisterFatBinaryEnd:34 __cudaUnregisterFatBinary:55 \
    __cudaRegisterVar:123 __cudaRegisterManagedVar:123 __cudaRegisterHostVar:56 __cudaRegisterFunction:105 \
    __cudaInitModule:215 __cudaPushCallConfiguration:150 __cudaPopCallConfiguration:162 __cudaGetKernel:147 \
    __cudaLaunchKernel:10 __cudaLaunchKernel_ptsz:10 __cudaRegisterUnifiedTable:74";

/// The others, which all take the texts of their names. None is the last function, since nobody knows how far that one goes.
const CALLS: &str = "cudaMalloc cudaMemcpy cudaMemcpy2DToArray cudaLaunchKernel cudaFuncGetAttributes cudaOfALaterVersion \
    cudaGetLastError cudaPeekAtLastError cudaSetDevice cudaRuntimeGetVersion cudaDeviceReset cudaDeviceSynchronize";

/// How a stand-in differs.
#[derive(Clone, Copy)]
struct Form {
    version: u32,
    stripped: bool,
    /// One of the functions of generated code is longer than NVIDIA's.
    unlike: bool,
    options: &'static [&'static str],
}

impl Form {
    /// The version as the library tells it. Of CUDA 11 there is one that can be replaced, 11.8.
    fn number(self) -> u32 {
        if self.version == 11 { 11080 } else { self.version * 1000 }
    }
}

const WITH_SYMBOLS: Form = Form { version: 13, stripped: false, unlike: false, options: &[] };
const STRIPPED: Form = Form { stripped: true, ..WITH_SYMBOLS };

pub fn trials() -> Vec<Trial> {
    let fixed = &["-no-pie"];
    let linked_in = |name: &str, form: Form| {
        Trial::test(format!("linked_in_{name}"), move || {
            let program = build(form, false);
            answers_failures_without_sim(&program)?;
            runs(&program, &[], form.version)
        })
    };
    vec![
        linked_in("with_symbols", WITH_SYMBOLS),
        linked_in("with_symbols_12", Form { version: 12, ..WITH_SYMBOLS }),
        linked_in("with_symbols_11", Form { version: 11, ..WITH_SYMBOLS }),
        linked_in("stripped", STRIPPED),
        linked_in("stripped_12", Form { version: 12, ..STRIPPED }),
        linked_in("at_fixed_addresses", Form { options: fixed, ..STRIPPED }),
        Trial::test("linked_in_by_plugins", || {
            let plugins = [WITH_SYMBOLS, STRIPPED, Form { version: 12, ..STRIPPED }]
                .map(|form| (build(form, true), form.version));
            runs(&build(WITH_SYMBOLS, false), &plugins, 13)
        }),
        Trial::test("linked_in_and_unlike", || {
            let program = build(Form { unlike: true, ..STRIPPED }, false);
            let output = under_sim(&program, &[])?;
            let told = text(&output.stderr);
            let says = "cannot be replaced: it is stripped, and __cudaRegisterVar is not where it is in the versions from 12.9 to 13.5 (it is that of CUDA 13.0)";
            if output.status.code() == Some(1) && told.matches(says).count() == 1 && told.contains("next: ") {
                Ok(())
            } else {
                Err(told.into())
            }
        }),
        Trial::test("linked_in_without_a_loader", || {
            let told = text(&under_sim(&without_a_loader(), &[])?.stderr);
            if told.contains("it is linked statically, with NVIDIA's runtime library in it") {
                Ok(())
            } else {
                Err(told.into())
            }
        }),
        Trial::test("linked_in_of_another_version", || {
            let program = build(Form { version: 10, ..WITH_SYMBOLS }, false);
            let told = text(&under_sim(&program, &[])?.stderr);
            if told.contains("it is that of CUDA 10.0, and the project has those of 11.8, 12 and 13") {
                Ok(())
            } else {
                Err(told.into())
            }
        }),
    ]
}

/// Under `sim` the program passes its own checks, and what no library has is told once for each object.
fn runs(program: &Path, plugins: &[(PathBuf, u32)], version: u32) -> Result<(), Failed> {
    let output = under_sim(program, plugins)?;
    let told = text(&output.stderr);
    if !output.status.success() {
        return Err(format!("{}: {told}", output.status).into());
    }
    let says = format!(
        "{}: {} functions of NVIDIA's runtime library {version}.{}",
        program.display(),
        REGISTRATION.split(' ').chain(CALLS.split(' ')).count(),
        if version == 11 { 8 } else { 0 },
    );
    if !told.contains(&says) {
        return Err(format!("it does not say {says:?}: {told}").into());
    }
    let lacking = told.matches("cudaOfALaterVersion is a function that it lacks").count();
    if lacking == 1 + plugins.len() { Ok(()) } else { Err(format!("told {lacking} times: {told}").into()) }
}

fn under_sim(program: &Path, plugins: &[(PathBuf, u32)]) -> Result<Output, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sim"));
    command.arg(program).env("LABS_SIM_LOG", "1");
    for (path, version) in plugins {
        command.arg(path).arg(version.to_string());
    }
    Ok(command.output()?)
}

fn answers_failures_without_sim(program: &Path) -> Result<(), Failed> {
    let output = Command::new(program).output()?;
    if output.status.code() == Some(1) { Ok(()) } else { Err(text(&output.stderr).into()) }
}

/// A program, or a library with PLUGIN.
fn build(form: Form, is_plugin: bool) -> PathBuf {
    let name = format!("linked_in_{}_{}{}{}", form.version, form.stripped, form.unlike, form.options.concat());
    let folder = folder(&name);
    let assembly = write(&folder, "runtime.s", &runtime(form));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runtime");
    let image = format!("-DIMAGE=\"{}\"", source.join("kernels.fatbin").display());
    let version = format!("-DVERSION={}", form.version);
    let path = folder.join(if is_plugin { "plugin.so" } else { "program" });
    let mut options = vec![image.as_str(), version.as_str()];
    options.extend(form.options);
    if is_plugin {
        options.extend(["-DPLUGIN", "-shared", "-fPIC"]);
    }
    if form.stripped {
        options.push("-s");
    }
    let client = source.join("linked_in.c");
    compile(&[&client.to_string_lossy(), &assembly, "-o", &path.to_string_lossy()], &options);
    path
}

/// A program that ends at once, with texts of NVIDIA's library in it.
fn without_a_loader() -> PathBuf {
    let folder = folder("linked_in_without_a_loader");
    let code = ".globl _start\n_start: mov $60, %eax\nxor %edi, %edi\nsyscall\n";
    let texts = ".section .rodata\n.string \"libcuda.so.1\"\n.string \"cudaRuntimeGetVersion\"\n";
    let source = write(&folder, "program.s", &format!("{code}{texts}.section .note.GNU-stack, \"\", @progbits\n"));
    let path = folder.join("program");
    compile(&[&source, "-o", &path.to_string_lossy()], &["-static", "-nostdlib"]);
    path
}

/// The stand-in. Its texts lie in one section, as NVIDIA's do.
fn runtime(form: Form) -> String {
    let private =
        if form.version == 11 { "__cudart1075" } else { "libcudart_static_0000000000000000000000000000000000000000" };
    let mut code = format!(".text\n{private}:\n");
    let mut texts = String::from(".section .rodata\n");
    let mut function = |name: &str, length: Option<u32>| {
        let takes_its_name = length.is_none() || name == "__cudaInitModule";
        code +=
            &format!(".p2align 4\n.globl {name}\n.hidden {name}\n.type {name}, @function\n{name}: .cfi_startproc\n");
        if takes_its_name {
            code += &format!("lea text_of_{name}(%rip), %rax\n");
            texts += &format!("text_of_{name}: .string \"{name}\"\n");
        }
        if name == "cudaRuntimeGetVersion" {
            code += &format!("movl ${}, (%rdi)\n", form.number());
        }
        code += "mov $999, %eax\nret\n";
        match length {
            Some(length) => code += &format!(".skip {length} - (. - {name}), 0x90\n"),
            // As long as the jump, with what fills the place behind it.
            None => code += ".skip 3, 0x90\n",
        }
        code += &format!(".cfi_endproc\n.size {name}, . - {name}\n");
    };
    for (name, length) in REGISTRATION.split(' ').filter_map(|row| row.split_once(':')) {
        let length: u32 = length.parse().expect("bytes");
        let more = if form.unlike && name == "__cudaRegisterVar" { 16 } else { 0 };
        function(name, Some(length + more));
    }
    CALLS.split(' ').for_each(|name| function(name, None));
    // NVIDIA's opens the driver itself.
    let driver = ".section .data.rel, \"aw\"\n.quad dlopen\n";
    format!("{code}{texts}{driver}.section .note.GNU-stack, \"\", @progbits\n")
}
