//! What the driver asks of clusters and of tensor maps. A program of its own: its card is an H200.
#![allow(unsafe_code)]
#[path = "../driver/card.rs"]
mod card;

use card::{CudaContext, device, ok, text};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, Once};

const KERNELS: &CStr = c"
.version 8.0
.target sm_90
.address_size 64

// p[block] = its rank in its cluster
.visible .entry free(.param .u64 p)
{
    .reg .b32 %r<3>; .reg .b64 %d<2>;
    ld.param.u64 %d1, [p];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %cluster_ctarank;
    mad.wide.u32 %d1, %r1, 4, %d1;
    st.global.u32 [%d1], %r2;
    ret;
}
.visible .entry pairs(.param .u64 p) .explicitcluster .reqnctapercluster 2
{
    .reg .b32 %r<3>; .reg .b64 %d<2>;
    ld.param.u64 %d1, [p];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %cluster_ctarank;
    mad.wide.u32 %d1, %r1, 4, %d1;
    st.global.u32 [%d1], %r2;
    ret;
}
.visible .entry open(.param .u64 p) .explicitcluster
{
    ret;
}
// a tile of 16 words that begins at a word of a row
.visible .entry tile(.param .u64 p, .param .u32 word, .param .align 64 .b8 map[128])
{
    .reg .b32 %r<3>; .reg .b64 %d<3>; .reg .pred %q;
    .shared .align 128 .b8 tile[64];
    .shared .align 8 .b64 ready;
    ld.param.u64 %d1, [p];
    ld.param.u32 %r1, [word];
    mov.b64 %d2, map;
    cvta.param.u64 %d2, %d2;
    mbarrier.init.shared::cta.b64 [ready], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [ready], 64;
    cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [%d2, {%r1}], [ready];
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %q, [ready], 0;
    @!%q bra WAIT;
    ld.shared.u32 %r2, [tile];
    st.global.u32 [%d1], %r2;
    ret;
}
";

/// A context on an H200.
fn context() -> Arc<CudaContext> {
    static NAMED: Once = Once::new();
    // SAFETY: every test comes here first, so nobody reads the environment meanwhile.
    NAMED.call_once(|| unsafe { std::env::set_var("LABS_SIM_PROFILE", "h200") });
    card::context()
}

fn kernel(name: &CStr) -> sys::CUfunction {
    let (mut module, mut function) = (null_mut(), null_mut());
    // SAFETY: text that ends in NUL, places for results.
    unsafe {
        ok(sys::cuModuleLoadData(&mut module, KERNELS.as_ptr().cast()));
        ok(sys::cuModuleGetFunction(&mut function, module, name.as_ptr()));
    }
    function
}

/// Launches so many blocks of one thread, in clusters where they are given; the ranks that the blocks found.
fn ranks(function: sys::CUfunction, blocks: u32, cluster: Option<[u32; 3]>) -> Result<Vec<u32>, CUresult> {
    let mut pointer = device(blocks as usize, u32::MAX);
    let mut parameters: [*mut c_void; 1] = [(&raw mut pointer).cast()];
    // SAFETY: plain numbers and null pointers.
    let mut attribute: sys::CUlaunchAttribute = unsafe { std::mem::zeroed() };
    attribute.id = sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    if let Some([x, y, z]) = cluster {
        attribute.value.clusterDim = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z };
    }
    let config = sys::CUlaunchConfig {
        gridDimX: blocks,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 1,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        hStream: null_mut(),
        attrs: &raw mut attribute,
        numAttrs: cluster.is_some().into(),
    };
    let mut found = vec![0; blocks as usize];
    // SAFETY: the kernel's parameter; memory of that size.
    unsafe {
        sys::cuLaunchKernelEx(&config, function, parameters.as_mut_ptr(), null_mut()).result().map_err(|e| e.0)?;
        ok(sys::cuMemcpyDtoH_v2(found.as_mut_ptr().cast(), pointer, found.len() * 4));
    }
    Ok(found)
}

#[test]
fn clusters_are_as_the_launch_or_the_kernel_says() {
    let _context = context();
    let free = kernel(c"free");
    assert_eq!(ranks(free, 6, None), Ok(vec![0; 6]));
    assert_eq!(ranks(free, 6, Some([3, 1, 1])), Ok(vec![0, 1, 2, 0, 1, 2]));
    assert_eq!(ranks(free, 8, Some([8, 1, 1])), Ok((0..8).collect()));
    let pairs = kernel(c"pairs");
    assert_eq!(ranks(pairs, 4, None), Ok(vec![0, 1, 0, 1]));
    assert_eq!(ranks(pairs, 4, Some([2, 1, 1])), Ok(vec![0, 1, 0, 1]));
}

#[test]
fn clusters_that_cannot_be_are_refused() {
    let _context = context();
    let refused = |function, blocks, cluster, why: &str| {
        let error = ranks(function, blocks, cluster).unwrap_err();
        assert_eq!(error, CUresult::CUDA_ERROR_INVALID_CLUSTER_SIZE);
        assert!(text(error).contains(why), "{}", text(error));
    };
    let (free, pairs) = (kernel(c"free"), kernel(c"pairs"));
    refused(free, 4, Some([3, 1, 1]), "no multiple");
    refused(free, 4, Some([2, 2, 1]), "no multiple");
    refused(free, 4, Some([0, 1, 1]), "1 to 8");
    refused(free, 16, Some([16, 1, 1]), "1 to 8");
    refused(free, 4, Some([1 << 31, 2, 1]), "1 to 8");
    refused(pairs, 8, Some([4, 1, 1]), "exactly");
    refused(pairs, 3, None, "no multiple");
    refused(kernel(c"open"), 4, None, "gives no dimension");
    // More than every card has, for kernels that are allowed it.
    let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
    // SAFETY: a live kernel.
    ok(unsafe { sys::cuFuncSetAttribute(free, attribute, 1) });
    assert_eq!(ranks(free, 16, Some([16, 1, 1])), Ok((0..16).collect()));
    refused(free, 32, Some([32, 1, 1]), "1 to 16");
}

/// The arguments of `cuTensorMapEncodeTiled`, for a matrix of two dimensions.
#[derive(Clone, Copy)]
struct Tiled {
    element: u32,
    rank: u32,
    address: u64,
    extents: [u64; 2],
    strides: [u64; 1],
    boxes: [u32; 2],
    steps: [u32; 2],
    swizzle: u32,
    promotion: u32,
    fill: u32,
}

#[repr(C, align(64))]
struct Packed([u8; 192]);

/// Encodes `tiled` so many bytes behind an address that is aligned to 64.
fn encode(tiled: Tiled, behind: usize) -> (CUresult, Packed) {
    let mut packed = Packed([0; 192]);
    // SAFETY: arrays of two dimensions; enums of the interface have 32 bits, and the driver checks them.
    let result = unsafe {
        sys::cuTensorMapEncodeTiled(
            packed.0.as_mut_ptr().add(behind).cast(),
            std::mem::transmute::<u32, sys::CUtensorMapDataType>(tiled.element),
            tiled.rank,
            tiled.address as *mut c_void,
            tiled.extents.as_ptr(),
            tiled.strides.as_ptr(),
            tiled.boxes.as_ptr(),
            tiled.steps.as_ptr(),
            sys::CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
            std::mem::transmute::<u32, sys::CUtensorMapSwizzle>(tiled.swizzle),
            std::mem::transmute::<u32, sys::CUtensorMapL2promotion>(tiled.promotion),
            std::mem::transmute::<u32, sys::CUtensorMapFloatOOBfill>(tiled.fill),
        )
    };
    (result, packed)
}

/// f32, 64 columns and 32 rows in 256 bytes each, tiles of 16×8.
fn matrix() -> Tiled {
    let (extents, strides, boxes, steps) = ([64, 32], [256], [16, 8], [1, 1]);
    Tiled { element: 7, rank: 2, address: 1 << 20, extents, strides, boxes, steps, swizzle: 0, promotion: 0, fill: 0 }
}

#[test]
fn tensor_maps_that_cannot_be_are_refused() {
    let _context = context();
    ok(encode(matrix(), 0).0);
    let swizzled = |swizzle, columns| Tiled { swizzle, boxes: [columns, 8], ..matrix() };
    // 32, 64 and 128 bytes of four each.
    for (swizzle, columns) in [(1, 8), (2, 16), (3, 32)] {
        ok(encode(swizzled(swizzle, columns), 0).0);
    }
    let wrong = [
        ("tensorRank", Tiled { rank: 0, ..matrix() }),
        ("tensorRank", Tiled { rank: 6, ..matrix() }),
        ("globalAddress", Tiled { address: (1 << 20) + 8, ..matrix() }),
        ("globalDim", Tiled { extents: [0, 32], ..matrix() }),
        ("globalDim", Tiled { extents: [64, (1 << 32) + 1], ..matrix() }),
        ("globalStrides", Tiled { strides: [264], ..matrix() }),
        ("globalStrides", Tiled { strides: [1 << 40], ..matrix() }),
        ("boxDim", Tiled { boxes: [0, 8], ..matrix() }),
        ("boxDim", Tiled { boxes: [16, 257], ..matrix() }),
        ("boxDim[0] in bytes", Tiled { boxes: [15, 8], ..matrix() }),
        ("boxDim[0] in bytes", swizzled(1, 12)),
        ("boxDim[0] in bytes", swizzled(2, 20)),
        ("boxDim[0] in bytes", swizzled(3, 36)),
        ("elementStrides", Tiled { steps: [1, 0], ..matrix() }),
        ("elementStrides", Tiled { steps: [1, 9], ..matrix() }),
    ];
    for (what, tiled) in wrong {
        let (result, _) = encode(tiled, 0);
        assert_eq!(result, CUresult::CUDA_ERROR_INVALID_VALUE, "{what}");
        assert!(text(result).contains(what), "{what}: {}", text(result));
    }
    let (result, _) = encode(matrix(), 32);
    assert_eq!(result, CUresult::CUDA_ERROR_INVALID_VALUE);
    assert!(text(result).contains("multiple of 64"), "{}", text(result));
}

#[test]
fn tiles_begin_at_multiples_of_sixteen_bytes() {
    for (word, found) in [(8u32, Some(8)), (-4i32 as u32, Some(0)), (2, None)] {
        let _context = context();
        let words: Vec<u32> = (0..64).collect();
        let (mut out, from) = (device(1, 0), device(64, 0));
        // SAFETY: live memory of that size.
        ok(unsafe { sys::cuMemcpyHtoD_v2(from, words.as_ptr().cast(), 256) });
        let (result, mut map) = encode(Tiled { rank: 1, address: from, ..matrix() }, 0);
        ok(result);
        let mut word = word;
        let mut parameters: [*mut c_void; 3] = [(&raw mut out).cast(), (&raw mut word).cast(), (&raw mut map).cast()];
        let mut got = 0u32;
        // SAFETY: the kernel's parameters; a word of memory.
        let ended = unsafe {
            ok(sys::cuLaunchKernel(
                kernel(c"tile"),
                1,
                1,
                1,
                1,
                1,
                1,
                0,
                null_mut(),
                parameters.as_mut_ptr(),
                null_mut(),
            ));
            sys::cuMemcpyDtoH_v2((&raw mut got).cast(), out, 4)
        };
        match found {
            Some(first) => {
                ok(ended);
                assert_eq!(got, first);
            }
            None => {
                assert_eq!(ended, CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION);
                assert!(text(ended).contains("16 bytes"), "{}", text(ended));
            }
        }
    }
}
