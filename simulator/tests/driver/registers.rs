//! Registers of kernels that no assembler has translated: a launch is refused for those alone that a kernel cannot do without.
use crate::documented::{load, module_of};
use crate::{context, device, launch, ok, word};
use cudarc::driver::sys::CUresult;
use std::fmt::Write;
use std::ptr::null_mut;

/// Launches 1024 threads of a kernel in whose loop 70 values are live, each loaded by `load` from where `%rd2` points or its parameters are.
fn launched(load_value: impl Fn(usize) -> String) -> CUresult {
    let _context = context();
    let (mut loads, mut sums, mut parameters) = (String::new(), String::new(), String::new());
    for i in 0..70 {
        writeln!(loads, "{}", load_value(i)).expect("text");
        writeln!(sums, "add.s32 %r99, %r99, %r{i};").expect("text");
        write!(parameters, ", .param .u32 p{i}").expect("text");
    }
    let rest = format!(
        ".visible .entry f(.param .u64 to{parameters}) {{ .reg .b32 %r<100>; .reg .b64 %rd<3>; .reg .pred %p<2>;\n\
         ld.param.u64 %rd1, [to]; cvta.to.global.u64 %rd2, %rd1; mov.u32 %r99, 0;\n{loads}\
         L: {sums}\n setp.lt.s32 %p1, %r99, 70; @%p1 bra L; st.global.u32 [%rd2], %r99; ret; }}"
    );
    let (module, result) = load(&module_of("8.0", "sm_50", &rest));
    ok(result);
    let function = made!(cuModuleGetFunction(module, c"f".as_ptr()));
    let to = device(256, 1);
    let result = launch(function, 1, 1024, null_mut(), &[&[to][..], &[1; 70]].concat());
    if result == CUresult::CUDA_SUCCESS {
        assert_eq!(word(to), 70);
    }
    ok!(cuMemFree_v2(to));
    result
}

#[test]
fn parameters_and_constants_take_no_registers_that_a_launch_is_refused_for() {
    assert_eq!(launched(|i| format!("ld.param.u32 %r{i}, [p{i}];")), CUresult::CUDA_SUCCESS);
}

#[test]
fn values_from_memory_take_registers_that_a_launch_is_refused_for() {
    let result = launched(|i| format!("ld.global.u32 %r{i}, [%rd2+{}];", 4 * i));
    assert_eq!(result, CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
}
