//! Shared arrays of a module, of which a kernel is charged for those that it uses.
use crate::documented::{load, module_of};
use crate::{context, ok};
use cudarc::driver::sys;
use std::ffi::CStr;

#[test]
fn a_kernel_is_charged_for_the_shared_arrays_of_its_module_that_it_uses() {
    let _context = context();
    let rest = ".shared .align 4 .b8 s[1000];\n.shared .align 4 .b8 t[40000];\n\
        .func read() { .reg .b32 r; ld.shared.u32 r, [s]; ret; }\n\
        .visible .entry f() { call read; ret; }\n\
        .visible .entry g() { .reg .b32 r; ld.shared.u32 r, [t]; ret; }\n.visible .entry h() { ret; }";
    let (module, result) = load(&module_of("8.0", "sm_50", rest));
    ok(result);
    let blocks = |name: &CStr, bytes| {
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES;
        let function = made!(cuModuleGetFunction(module, name.as_ptr()));
        let value = made!(cuFuncGetAttribute(attribute, function));
        let blocks = made!(cuOccupancyMaxActiveBlocksPerMultiprocessor(function, 64, 0));
        assert_eq!(value, bytes, "{name:?}");
        blocks
    };
    let [f, g, h] = [blocks(c"f", 1000), blocks(c"g", 40000), blocks(c"h", 0)];
    assert!(g < f && f == h, "{f}, {g} and {h} blocks of a multiprocessor");
}
