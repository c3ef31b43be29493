//! NVRTC's output of the sources, where there is an NVRTC; and the message where there is none.

use std::process::{Command, ExitCode};

use kernels::{KernelError, Origin, Source, Target, compile, pristine, resources};
use libtest_mimic::{Arguments, Failed, Trial};

const SIMULATOR: Target = Target::Ptx { major: 8, minor: 9 };
const H200: Target = Target::Cubin { major: 9, minor: 0 };
const GTX_780: Target = Target::Cubin { major: 3, minor: 5 };

type Test = fn() -> Result<(), Failed>;

fn main() -> ExitCode {
    let no_compiler = kernels::compiler().is_err();
    if no_compiler {
        println!("no NVRTC on this machine: its tests are ignored (next: just nvrtc)");
    }
    let needs_nvrtc: [(&str, Test); 6] = [
        ("a_broken_kernel_is_shown_as_the_compiler_saw_it", broken),
        ("a_modified_kernel_is_compiled", modified),
        ("a_gpu_gets_machine_code", machine_code),
        ("a_gpu_older_than_the_compiler_gets_the_embedded_ptx", old_gpu),
        ("a_gpu_newer_than_the_compiler_gets_ptx", new_gpu),
        ("shared_memory_is_what_the_assignment_published", published_shared_memory),
    ];
    let mut trials: Vec<Trial> =
        needs_nvrtc.map(|(name, test)| Trial::test(name, test).with_ignored_flag(no_compiler)).into();
    trials.push(Trial::test("without_nvrtc_the_one_command_is_named", without));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// `gemm/naive` with one passage replaced.
fn changed(find: &str, replace: &str) -> Source {
    let mut naive = pristine("gemm", "naive").expect("there is such a rung");
    assert!(naive.text.contains(find), "{find}");
    naive.text = naive.text.replace(find, replace).into();
    naive
}

fn broken() -> Result<(), Failed> {
    let broken = changed("T sum = 0;", "T sum = nothing;");
    let line = 1 + broken.text.lines().position(|line| line.contains("nothing")).expect("just put there");
    for target in [SIMULATOR, H200] {
        let error = compile(&broken, target).expect_err("it must not compile");
        let text = error.to_string();
        let expected = format!("kernels/gemm/2_naive.cu({line}): error: identifier \"nothing\" is undefined");
        ensure(text.starts_with("your kernel: ") && text.contains(&expected), &text)?;
        ensure(!text.contains("deprecated"), &text)?;
    }
    Ok(())
}

fn modified() -> Result<(), Failed> {
    let image = compile(&changed("T sum = 0;", "T sum = 1;"), SIMULATOR)?;
    ensure(matches!(image.origin(), Origin::Compiled { .. }), &format!("{:?}", image.origin()))?;
    let ptx = image.ptx().unwrap_or_default();
    ensure(ptx.contains(".visible .entry naive_f32") && ptx.contains("\"kernels/gemm/2_naive.cu\""), ptx)
}

fn machine_code() -> Result<(), Failed> {
    let image = compile(&pristine("gemm", "naive")?, H200)?;
    ensure(image.bytes().starts_with(b"\x7fELF") && image.ptx().is_none(), "no ELF file")
}

fn old_gpu() -> Result<(), Failed> {
    let image = compile(&pristine("gemm", "naive")?, GTX_780)?;
    ensure(matches!(image.origin(), Origin::Embedded { .. }) && image.log().contains("sm_35"), image.log())?;
    let error = compile(&changed("T sum = 0;", "T sum = 2;"), GTX_780).expect_err("NVRTC has no sm_35");
    ensure(matches!(error, KernelError::Architecture { .. }), &error.to_string())
}

fn new_gpu() -> Result<(), Failed> {
    let image = compile(&pristine("gemm", "naive")?, Target::Cubin { major: 99, minor: 0 })?;
    let is_ptx = image.ptx().is_some_and(|ptx| ptx.contains(".target sm_"));
    ensure(is_ptx && matches!(image.origin(), Origin::Compiled { .. }), &format!("{:?}", image.origin()))
}

/// Assignment 4's static shared memory of its kernels with 2 and 4 elements per thread, for edges 8, 16, 32.
fn published_shared_memory() -> Result<(), Failed> {
    for (rung, published) in [("shared_2", [1536, 6144, 24576]), ("shared_4", [2048, 8192, 32768])] {
        let found = resources(&pristine("gemm", rung)?, H200)?;
        for (edge, bytes) in [8, 16, 32].into_iter().zip(published) {
            let name = format!("{rung}_f32_{edge}");
            let kernel = found.iter().find(|kernel| kernel.kernel == name).ok_or_else(|| format!("no {name}"))?;
            ensure(kernel.shared_bytes == bytes && kernel.registers > 0, &format!("{kernel:?}, published {bytes}"))?;
            ensure(kernel.spill_store_bytes == 0 && kernel.local_bytes == 0, &format!("{kernel:?}"))?;
        }
    }
    Ok(())
}

fn without() -> Result<(), Failed> {
    let output = Command::new(env!("CARGO_BIN_EXE_kernels")).arg("check").env("LABS_NVRTC", "none").output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    ensure(output.status.code() == Some(2) && text.contains("next: just nvrtc"), &text)
}

fn ensure(holds: bool, seen: &str) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(format!("seen: {seen}").into()) }
}
