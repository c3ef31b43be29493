//! The host's cost of a launch: from the call to the kernel's completion.
//!
//! `cargo bench -p simulator --bench launch`. The kernel is small: one block of 256 threads, ten instructions, a loop of four.
#![allow(unsafe_code)]
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::c_void;
use std::ptr::null_mut;

const KERNEL: &str = concat!(include_str!("launch.ptx"), "\0");

fn ok(result: CUresult) {
    assert_eq!(result, CUresult::CUDA_SUCCESS);
}

/// The driver beside this program, a context, the kernel and its memory.
fn start() -> (sys::CUfunction, u64) {
    let beside = std::env::current_exe().expect("a path").with_file_name("libsimulator.so");
    let flags = libloading::os::unix::RTLD_NOW | libloading::os::unix::RTLD_GLOBAL;
    let (mut context, mut module, mut function, mut memory) = (null_mut(), null_mut(), null_mut(), 0);
    // SAFETY: the package's own library; text that ends in NUL; places for results.
    unsafe {
        std::mem::forget(libloading::os::unix::Library::open(Some(&beside), flags).expect("libsimulator.so"));
        ok(sys::cuInit(0));
        ok(sys::cuDevicePrimaryCtxRetain(&mut context, 0));
        ok(sys::cuCtxSetCurrent(context));
        ok(sys::cuModuleLoadData(&mut module, KERNEL.as_ptr().cast()));
        ok(sys::cuModuleGetFunction(&mut function, module, c"small".as_ptr()));
        ok(sys::cuMemAlloc_v2(&mut memory, 1024));
    }
    (function, memory)
}

fn launch(criterion: &mut Criterion) {
    let (function, mut memory) = start();
    let mut parameters: [*mut c_void; 1] = [(&raw mut memory).cast()];
    let mut call = |blocks| {
        // SAFETY: the kernel's parameter, which outlives the launch.
        ok(unsafe {
            sys::cuLaunchKernel(function, blocks, 1, 1, 256, 1, 1, 0, null_mut(), parameters.as_mut_ptr(), null_mut())
        });
    };
    // SAFETY: a context is current.
    let wait = || ok(unsafe { sys::cuCtxSynchronize() });
    let mut group = criterion.benchmark_group("launch");
    group.bench_function("one, waited for", |bench| {
        bench.iter(|| {
            call(1);
            wait();
        });
    });
    group.bench_function("eight blocks, waited for", |bench| {
        bench.iter(|| {
            call(8);
            wait();
        });
    });
    // The past costs nothing: both ends take as long for each.
    for count in [100, 1_000_000] {
        group.throughput(Throughput::Elements(count)).sample_size(10);
        group.bench_function(format!("{count}, waited for together"), |bench| {
            bench.iter(|| {
                (0..count).for_each(|_| call(1));
                wait();
            });
        });
    }
    group.finish();
}

criterion_group!(benches, launch);
criterion_main!(benches);
