//! Nodes of graphs that are asked what they do, and a stream that goes while it is captured.
use crate::{answer, context, device, kernel, ok, word};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::c_void;
use std::ptr::null_mut;

pub fn graph() -> sys::CUgraph {
    // SAFETY: a place for a handle.
    answer(|to| unsafe { sys::cuGraphCreate(to, 0) })
}

#[test]
fn a_kernel_node_answers_what_makes_the_same_node_again() {
    let _context = context();
    let (graph, function) = (graph(), kernel(c"add"));
    let (mut at, mut more) = (device(1, 0), 5u32);
    let mut values = [(&raw mut at).cast::<c_void>(), (&raw mut more).cast::<c_void>()];
    let mut executable = null_mut();
    let (mut node, mut copy, mut found) = (null_mut(), null_mut(), 0u32);
    // SAFETY: structs of which all zeros are a value, places for handles, the kernel's parameters, live memory.
    unsafe {
        let mut made: sys::CUDA_KERNEL_NODE_PARAMS = std::mem::zeroed();
        made.func = function;
        (made.gridDimX, made.gridDimY, made.gridDimZ) = (3, 2, 1);
        (made.blockDimX, made.blockDimY, made.blockDimZ) = (1, 1, 1);
        made.sharedMemBytes = 64;
        made.kernelParams = values.as_mut_ptr();
        ok(sys::cuGraphAddKernelNode_v2(&mut node, graph, null_mut(), 0, &made));
        let mut shown: sys::CUDA_KERNEL_NODE_PARAMS = std::mem::zeroed();
        ok(sys::cuGraphKernelNodeGetParams_v2(node, &mut shown));
        assert_eq!((shown.func, shown.gridDimX, shown.gridDimY, shown.sharedMemBytes), (function, 3, 2, 64));
        assert_eq!(shown.kernelParams.add(1).read().cast::<u32>().read(), 5);
        (shown.gridDimX, shown.gridDimY) = (1, 1);
        ok(sys::cuGraphAddKernelNode_v2(&mut copy, graph, &node, 1, &shown));
        shown.kernelParams.add(1).write((&raw mut more).cast());
        (&raw mut more).write(7);
        (shown.gridDimX, shown.gridDimY) = (1, 1);
        ok(sys::cuGraphKernelNodeSetParams_v2(node, &shown));
        ok(sys::cuGraphInstantiateWithFlags(&mut executable, graph, 0));
        ok(sys::cuGraphLaunch(executable, null_mut()));
        ok(sys::cuMemcpyDtoH_v2((&raw mut found).cast(), at, 4));
        let mut host: sys::CUDA_HOST_NODE_PARAMS = std::mem::zeroed();
        assert_eq!(sys::cuGraphHostNodeGetParams(node, &mut host), CUresult::CUDA_ERROR_INVALID_HANDLE);
    }
    assert_eq!(found, 12);
}

#[test]
fn nodes_of_fills_and_events_answer_theirs() {
    let _context = context();
    let graph = graph();
    let (mut fill, mut mark, mut event, mut other, mut found) =
        (null_mut(), null_mut(), null_mut(), null_mut(), null_mut());
    // SAFETY: structs of which all zeros are a value, and places for handles.
    unsafe {
        let mut made: sys::CUDA_MEMSET_NODE_PARAMS = std::mem::zeroed();
        (made.dst, made.value, made.elementSize, made.width, made.height, made.pitch) = (device(8, 0), 3, 4, 2, 4, 8);
        let mut current = null_mut();
        ok(sys::cuCtxGetCurrent(&mut current));
        ok(sys::cuGraphAddMemsetNode(&mut fill, graph, null_mut(), 0, &made, current));
        let mut shown: sys::CUDA_MEMSET_NODE_PARAMS = std::mem::zeroed();
        ok(sys::cuGraphMemsetNodeGetParams(fill, &mut shown));
        assert_eq!((shown.dst, shown.value, shown.elementSize), (made.dst, 3, 4));
        assert_eq!((shown.width, shown.height, shown.pitch), (2, 4, 8));
        ok(sys::cuEventCreate(&mut event, 0));
        ok(sys::cuEventCreate(&mut other, 0));
        ok(sys::cuGraphAddEventRecordNode(&mut mark, graph, &fill, 1, event));
        ok(sys::cuGraphEventRecordNodeGetEvent(mark, &mut found));
        assert_eq!(found, event);
        ok(sys::cuGraphEventRecordNodeSetEvent(mark, other));
        ok(sys::cuGraphEventRecordNodeGetEvent(mark, &mut found));
        assert_eq!(found, other);
        assert_eq!(sys::cuGraphEventWaitNodeGetEvent(mark, &mut found), CUresult::CUDA_ERROR_INVALID_HANDLE);
    }
}

/// A fill on a stream that an event draws into a capture, and which is destroyed before the end: joined, or not.
fn captured(joined: bool) -> CUresult {
    let (mut first, mut second, mut there, mut back) = (null_mut(), null_mut(), null_mut(), null_mut());
    let (at, mut graph) = (device(1, 0), null_mut());
    // SAFETY: places for handles, live memory.
    unsafe {
        ok(sys::cuStreamCreate(&mut first, 1));
        ok(sys::cuStreamCreate(&mut second, 1));
        ok(sys::cuEventCreate(&mut there, 2));
        ok(sys::cuEventCreate(&mut back, 2));
        ok(sys::cuStreamBeginCapture_v2(first, sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
        ok(sys::cuEventRecord(there, first));
        ok(sys::cuStreamWaitEvent(second, there, 0));
        ok(sys::cuMemsetD32Async(at, 7, 1, second));
        if joined {
            ok(sys::cuEventRecord(back, second));
            ok(sys::cuStreamWaitEvent(first, back, 0));
        }
        ok(sys::cuStreamDestroy_v2(second));
        ok(sys::cuEventDestroy_v2(there));
        ok(sys::cuEventDestroy_v2(back));
        sys::cuStreamEndCapture(first, &mut graph)
    }
}

#[test]
fn a_stream_may_go_before_its_captures_end_where_it_was_joined() {
    let _context = context();
    ok(captured(true));
    assert_eq!(captured(false), CUresult::CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}

/// Adds to a graph a fill of one word.
pub fn fill(graph: sys::CUgraph, at: u64, value: u32) -> sys::CUgraphNode {
    let mut node = null_mut();
    // SAFETY: a struct of plain numbers, for which zero is a value; live handles.
    unsafe {
        let mut fill: sys::CUDA_MEMSET_NODE_PARAMS_st = std::mem::zeroed();
        (fill.dst, fill.value, fill.elementSize, fill.width, fill.height) = (at, value, 4, 1, 1);
        ok(sys::cuGraphAddMemsetNode(&mut node, graph, null_mut(), 0, &fill, null_mut()));
    }
    node
}

#[test]
fn a_child_graph_is_a_copy_that_can_be_asked_for_and_changed() {
    let _context = context();
    let (outer, inner) = (graph(), graph());
    let (first, second) = (device(1, 0), device(1, 0));
    let of_inner = fill(inner, first, 3);
    let (mut node, mut child, mut again, mut copy) = (null_mut(), null_mut(), null_mut(), null_mut());
    let (mut executable, mut nodes, mut count) = (null_mut(), [null_mut(); 4], 4);
    // SAFETY: live handles, places for handles and numbers.
    unsafe {
        ok(sys::cuGraphAddChildGraphNode(&mut node, outer, null_mut(), 0, inner));
        ok(sys::cuGraphChildGraphNodeGetGraph(node, &mut child));
        ok(sys::cuGraphChildGraphNodeGetGraph(node, &mut again));
        assert!(child == again && child != inner);
        assert_eq!(sys::cuGraphChildGraphNodeGetGraph(of_inner, &mut again), CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(sys::cuGraphDestroy(child), CUresult::CUDA_ERROR_INVALID_VALUE, "it is the node's");
        ok(sys::cuGraphDestroy(inner));
        fill(child, second, 4);
        ok(sys::cuGraphGetNodes(child, nodes.as_mut_ptr(), &mut count));
        assert!(count == 2 && nodes[0] != of_inner);
        ok(sys::cuGraphInstantiateWithFlags(&mut executable, outer, 0));
        // A clone has children of its own.
        ok(sys::cuGraphClone(&mut copy, outer));
        ok(sys::cuGraphDestroy(outer));
        assert_eq!(sys::cuGraphGetNodes(child, null_mut(), &mut count), CUresult::CUDA_ERROR_INVALID_VALUE);
        ok(sys::cuGraphLaunch(executable, null_mut()));
        assert_eq!((word(first), word(second)), (3, 4));
        ok(sys::cuMemsetD32_v2(first, 0, 1));
        ok(sys::cuGraphInstantiateWithFlags(&mut executable, copy, 0));
        ok(sys::cuGraphLaunch(executable, null_mut()));
    }
    assert_eq!(word(first), 3);
}

#[test]
fn a_graph_is_drawn_with_its_kernels_and_its_order() {
    let _context = context();
    let (outer, inner) = (graph(), graph());
    let mut at = device(1, 0);
    let before = fill(inner, at, 3);
    let mut more = 1u32;
    let mut values = [(&raw mut at).cast::<c_void>(), (&raw mut more).cast::<c_void>()];
    let mut node = null_mut();
    let path = std::env::temp_dir().join(format!("graph-{}.dot", std::process::id()));
    let name = std::ffi::CString::new(path.to_str().expect("a path")).expect("text");
    // SAFETY: a struct of which all zeros are a value, places for handles, the kernel's parameters, live memory.
    unsafe {
        let mut made: sys::CUDA_KERNEL_NODE_PARAMS = std::mem::zeroed();
        made.func = kernel(c"add");
        (made.gridDimX, made.gridDimY, made.gridDimZ) = (1, 1, 1);
        (made.blockDimX, made.blockDimY, made.blockDimZ) = (1, 1, 1);
        made.kernelParams = values.as_mut_ptr();
        ok(sys::cuGraphAddKernelNode_v2(&mut node, inner, &before, 1, &made));
        ok(sys::cuGraphAddChildGraphNode(&mut node, outer, null_mut(), 0, inner));
        ok(sys::cuGraphDebugDotPrint(outer, name.as_ptr(), 1));
        assert_eq!(sys::cuGraphDebugDotPrint(outer, name.as_ptr(), 1 << 20), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
    let drawn = std::fs::read_to_string(&path).expect("a file");
    std::fs::remove_file(&path).expect("it is there");
    assert!(drawn.starts_with("digraph dot {") && drawn.trim_end().ends_with('}'), "{drawn}");
    assert_eq!(drawn.matches("subgraph").count(), 2, "{drawn}");
    assert_eq!(drawn.matches(" -> ").count(), 1, "{drawn}");
    for word in ["KERNEL\\nadd", "MEMSET", "GRAPH\\ngraph_"] {
        assert!(drawn.contains(word), "{word}: {drawn}");
    }
}

/// A lookup by name answers a function that takes a stream, a function, its argument and, where it takes it, a mode.
#[test]
fn a_host_function_is_found_by_its_plain_name() {
    unsafe extern "C" fn note(to: *mut c_void) {
        // SAFETY: the word below.
        unsafe { *to.cast::<u32>() += 1 };
    }
    let _context = context();
    let mut calls = 0u32;
    let mut found: *mut c_void = null_mut();
    for version in [12000, 13000, 13020] {
        // SAFETY: a text that ends in NUL, places for results; the signature of the interface; a word that outlives the call.
        unsafe {
            ok(sys::cuGetProcAddress_v2(c"cuLaunchHostFunc".as_ptr(), &mut found, version, 0, null_mut()));
            type Call =
                unsafe extern "C" fn(sys::CUstream, unsafe extern "C" fn(*mut c_void), *mut c_void, u32) -> CUresult;
            let call = std::mem::transmute::<*mut c_void, Call>(found);
            ok(call(null_mut(), note, (&raw mut calls).cast(), 0));
            ok(sys::cuCtxSynchronize());
        }
    }
    assert_eq!(calls, 3);
}
