//! Memory and objects that graphs own, and graphs that grow in a capture.
use crate::{context, device, increment, kernel, ok, stream};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

fn read(address: u64) -> (CUresult, u32) {
    let mut host = 0u32;
    // SAFETY: a place for one word.
    let result = unsafe { sys::cuMemcpyDtoH_v2((&raw mut host).cast(), address, 4) };
    (result, host)
}

/// A graph that allocates 64 bytes, fills them with 7 and increments them once. Answers the address.
fn allocating(graph: sys::CUgraph) -> (u64, sys::CUgraphNode) {
    let (mut node, mut fill) = (null_mut(), null_mut());
    // SAFETY: structs of plain numbers, for which zero is a value; places for results.
    unsafe {
        let mut parameters: sys::CUDA_MEM_ALLOC_NODE_PARAMS_v1_st = std::mem::zeroed();
        parameters.poolProps.allocType = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        parameters.poolProps.location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        parameters.bytesize = 64;
        ok(sys::cuGraphAddMemAllocNode(&mut node, graph, null(), 0, &mut parameters));
        let address = parameters.dptr;
        assert_ne!(address, 0);
        let mut memset: sys::CUDA_MEMSET_NODE_PARAMS_st = std::mem::zeroed();
        (memset.dst, memset.value, memset.elementSize, memset.width, memset.height) = (address, 7, 4, 16, 1);
        ok(sys::cuGraphAddMemsetNode(&mut fill, graph, &node, 1, &memset, null_mut()));
        (address, fill)
    }
}

#[test]
fn a_graph_allocates_at_each_launch_and_frees_once() {
    let _context = context();
    let (mut graph, mut exec, mut free) = (null_mut(), null_mut(), null_mut());
    let stream = stream(0);
    let mut used = 0u64;
    // SAFETY: live handles, places for results.
    unsafe {
        ok(sys::cuGraphCreate(&mut graph, 0));
        let (address, fill) = allocating(graph);
        // Nothing is there before the first launch.
        assert_eq!(sys::cuMemFree_v2(address), CUresult::CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuGraphInstantiateWithFlags(&mut exec, graph, 0));
        ok(sys::cuGraphLaunch(exec, stream));
        ok(sys::cuStreamSynchronize(stream));
        assert_eq!(read(address), (CUresult::CUDA_SUCCESS, 7));
        let attribute = sys::CUgraphMem_attribute::CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT;
        ok(sys::cuDeviceGetGraphMemAttribute(0, attribute, (&raw mut used).cast()));
        assert!(used >= 64);
        // Still allocated.
        assert_eq!(sys::cuGraphLaunch(exec, stream), CUresult::CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuMemFreeAsync(address, stream));
        ok(sys::cuGraphLaunch(exec, stream));
        ok(sys::cuMemFreeAsync(address, stream));
        ok(sys::cuStreamSynchronize(stream));
        assert_eq!(sys::cuMemFree_v2(address), CUresult::CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuGraphExecDestroy(exec));
        // With a node that frees, launches follow each other.
        ok(sys::cuGraphAddMemFreeNode(&mut free, graph, &fill, 1, address));
        let mut found = 0;
        ok(sys::cuGraphMemFreeNodeGetParams(free, &mut found));
        assert_eq!(found, address);
        ok(sys::cuGraphInstantiateWithFlags(&mut exec, graph, 0));
        for _ in 0..3 {
            ok(sys::cuGraphLaunch(exec, stream));
        }
        ok(sys::cuStreamSynchronize(stream));
    }
}

#[test]
fn captured_allocations_can_be_launched_again() {
    let _context = context();
    let f = kernel(c"increment");
    let out = device(16, 0);
    let stream = stream(0);
    let (mut graph, mut exec, mut address) = (null_mut(), null_mut(), 0);
    // SAFETY: live handles, places for results.
    unsafe {
        ok(sys::cuStreamBeginCapture_v2(stream, sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
        ok(sys::cuMemAllocAsync(&mut address, 64, stream));
        ok(sys::cuMemsetD32Async(address, 5, 16, stream));
        ok(increment(f, address, 16, stream));
        ok(sys::cuMemcpyDtoDAsync_v2(out, address, 64, stream));
        ok(sys::cuMemFreeAsync(address, stream));
        ok(sys::cuStreamEndCapture(stream, &mut graph));
        ok(sys::cuGraphInstantiateWithFlags(&mut exec, graph, 0));
        for _ in 0..2 {
            ok(sys::cuMemsetD32_v2(out, 0, 16));
            ok(sys::cuGraphLaunch(exec, stream));
            ok(sys::cuStreamSynchronize(stream));
            assert_eq!(read(out), (CUresult::CUDA_SUCCESS, 6));
        }
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
    // SAFETY: live handles, places for results; the array is read before the next call on the stream.
    unsafe {
        ok(sys::cuStreamBeginCapture_v2(stream, sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED));
        ok(sys::cuMemsetD32Async(out, 1, 16, stream));
        ok(sys::cuStreamGetCaptureInfo_v2(stream, &mut status, &mut id, &mut graph, &mut nodes, &mut count));
        assert_eq!((status, count), (sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE, 1));
        let mut memset: sys::CUDA_MEMSET_NODE_PARAMS_st = std::mem::zeroed();
        (memset.dst, memset.value, memset.elementSize, memset.width, memset.height) = (out, 41, 4, 16, 1);
        ok(sys::cuGraphAddMemsetNode(&mut node, graph, nodes, count, &memset, null_mut()));
        ok(sys::cuStreamUpdateCaptureDependencies(stream, &mut node, 1, 1));
        ok(increment(kernel(c"increment"), out, 16, stream));
        ok(sys::cuStreamEndCapture(stream, &mut ended));
        assert_eq!(ended, graph);
        ok(sys::cuGraphInstantiateWithFlags(&mut exec, graph, 0));
        ok(sys::cuGraphLaunch(exec, stream));
        ok(sys::cuStreamSynchronize(stream));
        assert_eq!(read(out).1, 42);
    }
}

static ENDED: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn end(data: *mut c_void) {
    ENDED.fetch_add(data as usize as u32, Ordering::SeqCst);
}

#[test]
fn a_user_object_ends_with_its_last_holder() {
    let _context = context();
    let (mut object, mut graph, mut clone, mut exec) = (null_mut(), null_mut(), null_mut(), null_mut());
    // SAFETY: live handles, places for results, a function that takes a number.
    unsafe {
        assert_eq!(
            sys::cuUserObjectCreate(&mut object, null_mut(), Some(end), 1, 0),
            CUresult::CUDA_ERROR_INVALID_VALUE
        );
        ok(sys::cuUserObjectCreate(&mut object, 1000 as *mut c_void, Some(end), 1, 1));
        ok(sys::cuGraphCreate(&mut graph, 0));
        ok(sys::cuGraphRetainUserObject(graph, object, 1, 1));
        assert_eq!(sys::cuGraphReleaseUserObject(graph, object, 2), CUresult::CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuGraphClone(&mut clone, graph));
        ok(sys::cuGraphInstantiateWithFlags(&mut exec, graph, 0));
        ok(sys::cuGraphDestroy(graph));
        ok(sys::cuGraphDestroy(clone));
        assert_eq!(ENDED.load(Ordering::SeqCst), 0);
        ok(sys::cuGraphExecDestroy(exec));
        assert_eq!(ENDED.load(Ordering::SeqCst), 1000);
        assert_eq!(sys::cuUserObjectRelease(object, 1), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
}
