//! The driver's functions for clusters and tensor maps. A program of its own: its card is an H200.
#![allow(unsafe_code)]
#[path = "../driver/card.rs"]
#[macro_use]
mod card;

use card::{CudaContext, device, ok, text, zeroed};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::{CStr, CString, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, Once};

const KERNELS: &str = concat!(include_str!("kernels.ptx"), "\0");

fn context() -> Arc<CudaContext> {
    static NAMED: Once = Once::new();
    // SAFETY: every test comes here first, so nobody reads the environment meanwhile.
    NAMED.call_once(|| unsafe { std::env::set_var("LABS_SIM_PROFILE", "h200") });
    card::context()
}

fn kernel(name: &CStr) -> sys::CUfunction {
    card::function(KERNELS.as_bytes(), name)
}

fn in_clusters([x, y, z]: [u32; 3]) -> sys::CUlaunchAttribute {
    let mut attribute: sys::CUlaunchAttribute = zeroed();
    attribute.id = sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z };
    attribute
}

/// Launches so many blocks of one thread, in clusters where they are given; the ranks that the blocks found.
fn ranks(function: sys::CUfunction, blocks: u32, cluster: Option<[u32; 3]>) -> Result<Vec<u32>, CUresult> {
    let mut pointer = device(blocks as usize, u32::MAX);
    let mut parameters: [*mut c_void; 1] = [(&raw mut pointer).cast()];
    let (mut attribute, mut found) = (in_clusters(cluster.unwrap_or_default()), vec![0; blocks as usize]);
    let mut config: sys::CUlaunchConfig = zeroed();
    (config.gridDimX, config.gridDimY, config.gridDimZ) = (blocks, 1, 1);
    (config.blockDimX, config.blockDimY, config.blockDimZ) = (1, 1, 1);
    (config.attrs, config.numAttrs) = (&raw mut attribute, cluster.is_some().into());
    call!(cuLaunchKernelEx(&config, function, parameters.as_mut_ptr(), null_mut())).result().map_err(|e| e.0)?;
    ok!(cuMemcpyDtoH_v2(found.as_mut_ptr().cast(), pointer, found.len() * 4));
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
    ok!(cuFuncSetAttribute(free, attribute, 1));
    assert_eq!(ranks(free, 16, Some([16, 1, 1])), Ok((0..16).collect()));
    refused(free, 32, Some([32, 1, 1]), "1 to 16");
}

#[test]
fn as_many_clusters_as_there_is_room_for() {
    let _context = context();
    let (free, pairs) = (kernel(c"free"), kernel(c"pairs"));
    let mut attribute = in_clusters([2, 2, 1]);
    let mut config: sys::CUlaunchConfig = zeroed();
    (config.gridDimX, config.gridDimY, config.gridDimZ) = (4, 4, 1);
    (config.blockDimX, config.blockDimY, config.blockDimZ) = (1024, 1, 1);
    let non_portable = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
    let mut size = made!(cuOccupancyMaxPotentialClusterSize(free, &config));
    assert_eq!(size, 8);
    let mut count = made!(cuOccupancyMaxActiveClusters(free, &config));
    assert_eq!(count, 264, "two blocks of 1024 threads on each of 132 multiprocessors, each by itself");
    ok!(cuOccupancyMaxActiveClusters(&mut count, pairs, &config));
    assert_eq!(count, 132, "by two");
    (config.attrs, config.numAttrs) = (&raw mut attribute, 1);
    ok!(cuOccupancyMaxActiveClusters(&mut count, free, &config));
    assert_eq!(count, 66, "clusters of four");
    ok!(cuFuncSetAttribute(free, non_portable, 1));
    ok!(cuOccupancyMaxPotentialClusterSize(&mut size, free, &config));
    assert_eq!(size, 16);
    config.sharedMemBytes = 1 << 20;
    ok!(cuOccupancyMaxPotentialClusterSize(&mut size, free, &config));
    assert_eq!(size, 0, "no block has so much shared memory");
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

/// Encodes `tiled` so many bytes after an address that is aligned to 64.
fn encode(tiled: Tiled, behind: usize) -> (CUresult, Packed) {
    let mut packed = Packed([0; 192]);
    // Enums of the interface have 32 bits, and the driver checks them.
    let result = call!(cuTensorMapEncodeTiled(
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
    ));
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

/// Launches one thread of `name` for a row of 64 words, 0 to 63, with a word to begin at: how it ended, and the row and a word of its own.
fn tile(name: &CStr, mut word: u32) -> (CUresult, Vec<u32>, u32) {
    let mut row: Vec<u32> = (0..64).collect();
    let (mut out, from) = (device(1, 0), device(64, 0));
    ok!(cuMemcpyHtoD_v2(from, row.as_ptr().cast(), 256));
    let (result, mut map) = encode(Tiled { rank: 1, address: from, ..matrix() }, 0);
    ok(result);
    let mut parameters: [*mut c_void; 3] = [(&raw mut out).cast(), (&raw mut word).cast(), (&raw mut map).cast()];
    let (parameters, no) = (parameters.as_mut_ptr(), null_mut());
    let mut got = 0u32;
    ok!(cuLaunchKernel(kernel(name), 1, 1, 1, 1, 1, 1, 0, null_mut(), parameters, no));
    let ended = match call!(cuMemcpyDtoH_v2((&raw mut got).cast(), out, 4)) {
        CUresult::CUDA_SUCCESS => call!(cuMemcpyDtoH_v2(row.as_mut_ptr().cast(), from, 256)),
        fault => fault,
    };
    (ended, row, got)
}

#[test]
fn tiles_begin_at_multiples_of_sixteen_bytes() {
    for (word, found) in [(8, 8), (-4i32 as u32, 0)] {
        let _context = context();
        let (ended, _, got) = tile(c"tile", word);
        ok(ended);
        assert_eq!(got, found);
    }
    for name in [c"tile", c"put"] {
        let _context = context();
        let (ended, ..) = tile(name, 2);
        assert_eq!(ended, CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION);
        assert!(text(ended).contains("16 bytes"), "{}", text(ended));
    }
}

#[test]
fn tiles_are_stored_across_a_tensors_end_but_not_across_its_start() {
    for word in [0, 4, 60] {
        let _context = context();
        let (ended, row, _) = tile(c"put", word);
        ok(ended);
        let want: Vec<u32> = (0..64).map(|at| if (word..word + 16).contains(&at) { 7 } else { at }).collect();
        assert_eq!(row, want);
    }
    let _context = context();
    let (ended, ..) = tile(c"put", -4i32 as u32);
    assert_eq!(ended, CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION);
    let said = text(ended);
    assert!(said.contains("before the tensor") && said.contains("index -4 of dimension 0"), "{said}");
}

/// Instructions of Hopper that the simulator lacks, with the registers of [`with_instruction`].
const LACKING: [(&str, &str); 3] = [
    (
        "wgmma.mma_async.sp",
        "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d0, %d1, %r4, 0, %q, 1, 1, 0, 0;",
    ),
    (
        "wgmma.mma_async",
        "wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%r0, %r1, %r2, %r3}, %d0, %d1, %q;",
    ),
    (
        "cp.async.bulk.tensor",
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [tile], [%d0, {%r0, %r1, %r2}], [ready], {%h};",
    ),
];

/// A kernel of one instruction, whose values mean nothing.
fn with_instruction(instruction: &str) -> CString {
    let text = include_str!("alone.ptx").replace("{instruction}", instruction);
    CString::new(text).expect("no NUL in it")
}

#[test]
fn what_hopper_has_and_the_simulator_lacks_is_refused_by_name() {
    let _context = context();
    let load = |instruction| {
        let (mut module, text) = (null_mut(), with_instruction(instruction));
        call!(cuModuleLoadData(&mut module, text.as_ptr().cast()))
    };
    for (name, instruction) in LACKING {
        let refused = load(instruction);
        assert_ne!(refused, CUresult::CUDA_SUCCESS, "{name}");
        let said = text(refused);
        assert!(said.starts_with("not modelled by the simulator") && said.contains(name), "{name}: {said}");
    }
    ok(load("wgmma.wait_group.sync.aligned 0;"));
}
