//! Memory and objects that graphs own, and graphs that grow in a capture.
use crate::graph_nodes::fill;
use crate::{begin_capture, context, device, end_capture, increment, kernel, ok, stream, word, zeroed};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

/// A graph that allocates 64 bytes, fills them with 7 and increments them once. Answers the address.
fn allocating(graph: sys::CUgraph) -> (u64, sys::CUgraphNode) {
    let mut parameters: sys::CUDA_MEM_ALLOC_NODE_PARAMS_v1_st = zeroed();
    parameters.poolProps.allocType = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    parameters.poolProps.location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    parameters.bytesize = 64;
    let node = made!(cuGraphAddMemAllocNode(graph, null(), 0, &mut parameters));
    let address = parameters.dptr;
    assert_ne!(address, 0);
    (address, fill(graph, &[node], address, 7, 16))
}

#[test]
fn a_graph_allocates_at_each_launch_and_frees_once() {
    let _context = context();
    let stream = stream(0);
    let mut used = 0u64;
    let graph = made!(cuGraphCreate(0));
    let (address, fill) = allocating(graph);
    // Nothing is there before the first launch.
    assert_eq!(call!(cuMemFree_v2(address)), CUresult::CUDA_ERROR_INVALID_VALUE);
    let mut exec = made!(cuGraphInstantiateWithFlags(graph, 0));
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(word(address), 7);
    let attribute = sys::CUgraphMem_attribute::CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT;
    ok!(cuDeviceGetGraphMemAttribute(0, attribute, (&raw mut used).cast()));
    assert!(used >= 64);
    // Still allocated.
    assert_eq!(call!(cuGraphLaunch(exec, stream)), CUresult::CUDA_ERROR_INVALID_VALUE);
    ok!(cuMemFreeAsync(address, stream));
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuMemFreeAsync(address, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(call!(cuMemFree_v2(address)), CUresult::CUDA_ERROR_INVALID_VALUE);
    ok!(cuGraphExecDestroy(exec));
    // With a node that frees, launches follow each other.
    let free = made!(cuGraphAddMemFreeNode(graph, &fill, 1, address));
    let mut found = 0;
    ok!(cuGraphMemFreeNodeGetParams(free, &mut found));
    assert_eq!(found, address);
    ok!(cuGraphInstantiateWithFlags(&mut exec, graph, 0));
    for _ in 0..3 {
        ok!(cuGraphLaunch(exec, stream));
    }
    ok!(cuStreamSynchronize(stream));
}

#[test]
fn captured_allocations_can_be_launched_again() {
    let _context = context();
    let f = kernel(c"increment");
    let out = device(16, 0);
    let stream = stream(0);
    begin_capture(stream);
    let address = made!(cuMemAllocAsync(64, stream));
    ok!(cuMemsetD32Async(address, 5, 16, stream));
    ok(increment(f, address, 16, stream));
    ok!(cuMemcpyDtoDAsync_v2(out, address, 64, stream));
    ok!(cuMemFreeAsync(address, stream));
    let exec = end_capture(stream);
    for _ in 0..2 {
        ok!(cuMemsetD32_v2(out, 0, 16));
        ok!(cuGraphLaunch(exec, stream));
        ok!(cuStreamSynchronize(stream));
        assert_eq!(word(out), 6);
    }
}

#[test]
fn a_capture_shows_its_graph_and_takes_nodes_by_hand() {
    let _context = context();
    let stream = stream(0);
    let out = device(16, 0);
    let (mut graph, mut ended, mut exec, mut node) = (null_mut(), null_mut(), null_mut(), null_mut());
    let (mut nodes, mut count, mut id) = (null(), 9, 0);
    let mut status = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
    ok!(cuStreamBeginCapture_v2(stream, sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED));
    ok!(cuMemsetD32Async(out, 1, 16, stream));
    ok!(cuStreamGetCaptureInfo_v2(stream, &mut status, &mut id, &mut graph, &mut nodes, &mut count));
    assert_eq!((status, count), (sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE, 1));
    let mut memset: sys::CUDA_MEMSET_NODE_PARAMS_st = zeroed();
    (memset.dst, memset.value, memset.elementSize, memset.width, memset.height) = (out, 41, 4, 16, 1);
    ok!(cuGraphAddMemsetNode(&mut node, graph, nodes, count, &memset, null_mut()));
    ok!(cuStreamUpdateCaptureDependencies(stream, &mut node, 1, 1));
    ok(increment(kernel(c"increment"), out, 16, stream));
    ok!(cuStreamEndCapture(stream, &mut ended));
    assert_eq!(ended, graph);
    ok!(cuGraphInstantiateWithFlags(&mut exec, graph, 0));
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(word(out), 42);
}

static ENDED: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn end(data: *mut c_void) {
    ENDED.fetch_add(data as usize as u32, Ordering::SeqCst);
}

#[test]
fn a_user_object_ends_with_its_last_holder() {
    let _context = context();
    let mut object = null_mut();
    assert_eq!(call!(cuUserObjectCreate(&mut object, null_mut(), Some(end), 1, 0)), CUresult::CUDA_ERROR_INVALID_VALUE);
    ok!(cuUserObjectCreate(&mut object, 1000 as *mut c_void, Some(end), 1, 1));
    let graph = made!(cuGraphCreate(0));
    ok!(cuGraphRetainUserObject(graph, object, 1, 1));
    assert_eq!(call!(cuGraphReleaseUserObject(graph, object, 2)), CUresult::CUDA_ERROR_INVALID_VALUE);
    let clone = made!(cuGraphClone(graph));
    let exec = made!(cuGraphInstantiateWithFlags(graph, 0));
    ok!(cuGraphDestroy(graph));
    ok!(cuGraphDestroy(clone));
    assert_eq!(ENDED.load(Ordering::SeqCst), 0);
    ok!(cuGraphExecDestroy(exec));
    assert_eq!(ENDED.load(Ordering::SeqCst), 1000);
    assert_eq!(call!(cuUserObjectRelease(object, 1)), CUresult::CUDA_ERROR_INVALID_VALUE);
}
