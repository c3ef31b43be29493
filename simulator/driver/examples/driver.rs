//! A program on the simulated card: the driver's C functions, declared from the table and linked in. `cargo run -p driver --example driver`.
//!
//! The driver's interface is CUDA's. A program in C has it from `cuda.h`; here [`cuda::functions!`] makes the declarations.
#![allow(unsafe_code)]
use cuda::types::*;
use driver as _;
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

macro_rules! declare {
    ($($name:ident $arguments:tt $([$($other:ident $(: $stream:ident)?),*])? $($age:ident)?;)*) => { $(declare_one! { $name $arguments })* };
}
macro_rules! declare_one {
    ($name:ident ($($argument:ident: $type:ty),*)) => {
        unsafe extern "C" { #[allow(dead_code)] fn $name($($argument: $type),*) -> c_uint; }
    };
}
cuda::functions!(declare);

/// Each thread doubles its element.
const PTX: &CStr = c".version 8.0
.target sm_50
.address_size 64
.visible .entry twice(.param .u64 p)
{
    .reg .b32 %r<3>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.u32 %r2, [%d3];
    add.u32 %r2, %r2, %r2;
    st.global.u32 [%d3], %r2;
    ret;
}
";

/// Ends the program with the driver's words, which say what went wrong and where.
fn ok(code: c_uint) {
    let mut words = null();
    // SAFETY: a place for a pointer, whose text lives for good.
    assert!(code == 0, "{code}: {:?}", unsafe { (cuGetErrorString(code, &mut words), CStr::from_ptr(words)) }.1);
}

fn main() {
    let (mut context, mut module, mut function, mut memory) = (null_mut(), null_mut(), null_mut(), 0u64);
    let mut numbers: Vec<u32> = (0..32).collect();
    // SAFETY: places for results, texts that end in NUL, and a kernel whose one parameter is the address of 32 numbers.
    unsafe {
        ok(cuInit(0));
        ok(cuCtxCreate_v2(&mut context, 0, 0));
        ok(cuModuleLoadData(&mut module, PTX.as_ptr().cast()));
        ok(cuModuleGetFunction(&mut function, module, c"twice".as_ptr()));
        ok(cuMemAlloc_v2(&mut memory, 128));
        ok(cuMemcpyHtoD_v2(memory, numbers.as_ptr().cast(), 128));
        let mut parameters: [*mut c_void; 1] = [(&raw mut memory).cast()];
        ok(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, null_mut(), parameters.as_mut_ptr(), null_mut()));
        ok(cuMemcpyDtoH_v2(numbers.as_mut_ptr().cast(), memory, 128));
    }
    println!("{numbers:?}");
}
