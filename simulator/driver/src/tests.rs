//! A panic in the executor, which no kernel can provoke from outside: `executor::kernel` has one for the kernel `panics`.
use super::abi::exports::*;
use super::state::{self, queue::MANY};
use crate::objects::graphs::Seq;
use cuda::CUresult;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;

const PTX: &CStr = c".version 8.0
.target sm_50
.address_size 64
.visible .entry panics() { ret; }
.visible .entry fine() { ret; }
";

fn text(code: CUresult) -> String {
    let mut words: *const c_char = std::ptr::null();
    // SAFETY: a place for a pointer; the text lives for good.
    unsafe {
        let _ = cuGetErrorString(code as u32, &mut words);
        CStr::from_ptr(words).to_string_lossy().into_owned()
    }
}

#[test]
fn a_panic_ends_its_context_and_says_where() {
    let (mut healthy, mut context, mut module) = (null_mut(), null_mut(), null_mut());
    let success = CUresult::CUDA_SUCCESS;
    // SAFETY: text that ends in NUL, live handles, places for results.
    unsafe {
        assert_eq!(cuInit(0), success);
        assert_eq!(cuCtxCreate_v2(&mut healthy, 0, 0), success);
        assert_eq!(cuCtxCreate_v2(&mut context, 0, 0), success);
        assert_eq!(cuModuleLoadData(&mut module, PTX.as_ptr().cast::<c_void>()), success);
        let launch = |name: &CStr| {
            let mut function = null_mut();
            assert_eq!(cuModuleGetFunction(&mut function, module, name.as_ptr()), success);
            cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, null_mut(), null_mut(), null_mut())
        };
        assert_eq!(launch(c"fine"), success);
        // Memory does not grow with every launch that nobody waits for.
        (0..3 * MANY).for_each(|_| assert_eq!(launch(c"fine"), success));
        let pending = state::lock().pending_in(context as usize).len();
        assert!((MANY..=2 * MANY).contains(&pending), "{pending}");
        assert_eq!(cuCtxSynchronize(), success);
        assert_eq!(launch(c"panics"), success);
        for _ in 0..2 {
            assert_eq!(cuCtxSynchronize(), CUresult::CUDA_ERROR_LAUNCH_FAILED);
            let words = text(CUresult::CUDA_ERROR_LAUNCH_FAILED);
            for part in ["`panics`", "kernel.rs:", "provoked by a test"] {
                assert!(words.contains(part), "{words}");
            }
        }
        let mut address = 0;
        assert_eq!(cuMemAlloc_v2(&mut address, 4), CUresult::CUDA_ERROR_LAUNCH_FAILED);
        // Nothing is left of it, and others go on.
        assert_eq!(state::lock().pending_in(context as usize), Vec::<Seq>::new());
        assert_eq!(cuCtxSetCurrent(healthy), success);
        assert_eq!(cuMemAlloc_v2(&mut address, 4), success);
        assert_eq!(cuCtxDestroy_v2(context), success);
        assert_eq!(cuCtxDestroy_v2(healthy), success);
    }
}
