//! Nodes of graphs that are asked what they do, and a stream that goes while it is captured.
use crate::{context, device, kernel, looked_up, ok, word, zeroed};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::c_void;
use std::ptr::null_mut;

pub fn graph() -> sys::CUgraph {
    made!(cuGraphCreate(0))
}

#[test]
fn a_kernel_node_answers_what_makes_the_same_node_again() {
    let _context = context();
    let (graph, at, mut more) = (graph(), device(1, 0), 7u32);
    let node = add(graph, &[], [3, 2], at, 5);
    let mut shown: sys::CUDA_KERNEL_NODE_PARAMS = zeroed();
    ok!(cuGraphKernelNodeGetParams_v2(node, &mut shown));
    assert_eq!((shown.gridDimX, shown.gridDimY, shown.sharedMemBytes), (3, 2, 64));
    // SAFETY: the node's two parameters.
    unsafe { assert_eq!(shown.kernelParams.add(1).read().cast::<u32>().read(), 5) };
    (shown.gridDimX, shown.gridDimY) = (1, 1);
    made!(cuGraphAddKernelNode_v2(graph, &node, 1, &shown));
    // SAFETY: as above.
    unsafe { shown.kernelParams.add(1).write((&raw mut more).cast()) };
    ok!(cuGraphKernelNodeSetParams_v2(node, &shown));
    ok!(cuGraphLaunch(made!(cuGraphInstantiateWithFlags(graph, 0)), null_mut()));
    let host = call!(cuGraphHostNodeGetParams(node, &mut zeroed()));
    assert_eq!((word(at), host), (12, CUresult::CUDA_ERROR_INVALID_HANDLE));
}

#[test]
fn nodes_of_fills_and_events_answer_theirs() {
    let _context = context();
    let graph = graph();
    let mut made: sys::CUDA_MEMSET_NODE_PARAMS = zeroed();
    (made.dst, made.value, made.elementSize, made.width, made.height, made.pitch) = (device(8, 0), 3, 4, 2, 4, 8);
    let fill = made!(cuGraphAddMemsetNode(graph, null_mut(), 0, &made, made!(cuCtxGetCurrent())));
    let mut shown: sys::CUDA_MEMSET_NODE_PARAMS = zeroed();
    ok!(cuGraphMemsetNodeGetParams(fill, &mut shown));
    assert_eq!((shown.dst, shown.value, shown.elementSize), (made.dst, 3, 4));
    assert_eq!((shown.width, shown.height, shown.pitch), (2, 4, 8));
    let (event, other) = (made!(cuEventCreate(0)), made!(cuEventCreate(0)));
    let mark = made!(cuGraphAddEventRecordNode(graph, &fill, 1, event));
    let mut found = null_mut();
    ok!(cuGraphEventRecordNodeGetEvent(mark, &mut found));
    assert_eq!(found, event);
    ok!(cuGraphEventRecordNodeSetEvent(mark, other));
    ok!(cuGraphEventRecordNodeGetEvent(mark, &mut found));
    assert_eq!(found, other);
    assert_eq!(call!(cuGraphEventWaitNodeGetEvent(mark, &mut found)), CUresult::CUDA_ERROR_INVALID_HANDLE);
}

/// A fill on a stream that an event draws into a capture, and which is destroyed before the end: joined, or not.
fn captured(joined: bool) -> CUresult {
    let (at, mut graph) = (device(1, 0), null_mut());
    let first = made!(cuStreamCreate(1));
    let second = made!(cuStreamCreate(1));
    let there = made!(cuEventCreate(2));
    let back = made!(cuEventCreate(2));
    ok!(cuStreamBeginCapture_v2(first, sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    ok!(cuEventRecord(there, first));
    ok!(cuStreamWaitEvent(second, there, 0));
    ok!(cuMemsetD32Async(at, 7, 1, second));
    if joined {
        ok!(cuEventRecord(back, second));
        ok!(cuStreamWaitEvent(first, back, 0));
    }
    ok!(cuStreamDestroy_v2(second));
    ok!(cuEventDestroy_v2(there));
    ok!(cuEventDestroy_v2(back));
    call!(cuStreamEndCapture(first, &mut graph))
}

#[test]
fn a_stream_may_go_before_its_captures_end_where_it_was_joined() {
    let _context = context();
    ok(captured(true));
    assert_eq!(captured(false), CUresult::CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}

/// Adds to a graph a fill of so many words.
pub fn fill(graph: sys::CUgraph, after: &[sys::CUgraphNode], dst: u64, value: u32, width: usize) -> sys::CUgraphNode {
    let fill = sys::CUDA_MEMSET_NODE_PARAMS { dst, value, elementSize: 4, width, height: 1, ..zeroed() };
    made!(cuGraphAddMemsetNode(graph, after.as_ptr(), after.len(), &fill, null_mut()))
}

/// Adds to a graph a launch of `add`, of so many blocks of a thread, and what it adds to a word.
fn add(graph: sys::CUgraph, after: &[sys::CUgraphNode], blocks: [u32; 2], at: u64, more: u64) -> sys::CUgraphNode {
    let mut values = [&at, &more].map(|value| std::ptr::from_ref(value).cast_mut().cast());
    let mut made: sys::CUDA_KERNEL_NODE_PARAMS = zeroed();
    made.func = kernel(c"add");
    (made.gridDimX, made.gridDimY, made.gridDimZ) = (blocks[0], blocks[1], 1);
    (made.blockDimX, made.blockDimY, made.blockDimZ) = (1, 1, 1);
    (made.sharedMemBytes, made.kernelParams) = (64, values.as_mut_ptr());
    made!(cuGraphAddKernelNode_v2(graph, after.as_ptr(), after.len(), &made))
}

#[test]
fn a_child_graph_is_a_copy_that_can_be_asked_for_and_changed() {
    let _context = context();
    let (outer, inner) = (graph(), graph());
    let (first, second) = (device(1, 0), device(1, 0));
    let of_inner = fill(inner, &[], first, 3, 1);
    let (mut child, mut again, mut nodes, mut count) = (null_mut(), null_mut(), [null_mut(); 4], 4);
    let node = made!(cuGraphAddChildGraphNode(outer, null_mut(), 0, inner));
    ok!(cuGraphChildGraphNodeGetGraph(node, &mut child));
    ok!(cuGraphChildGraphNodeGetGraph(node, &mut again));
    assert!(child == again && child != inner);
    assert_eq!(call!(cuGraphChildGraphNodeGetGraph(of_inner, &mut again)), CUresult::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(call!(cuGraphDestroy(child)), CUresult::CUDA_ERROR_INVALID_VALUE, "it is the node's");
    ok!(cuGraphDestroy(inner));
    fill(child, &[], second, 4, 1);
    ok!(cuGraphGetNodes(child, nodes.as_mut_ptr(), &mut count));
    assert!(count == 2 && nodes[0] != of_inner);
    let mut executable = made!(cuGraphInstantiateWithFlags(outer, 0));
    // A clone has children of its own.
    let copy = made!(cuGraphClone(outer));
    ok!(cuGraphDestroy(outer));
    assert_eq!(call!(cuGraphGetNodes(child, null_mut(), &mut count)), CUresult::CUDA_ERROR_INVALID_VALUE);
    ok!(cuGraphLaunch(executable, null_mut()));
    assert_eq!((word(first), word(second)), (3, 4));
    ok!(cuMemsetD32_v2(first, 0, 1));
    ok!(cuGraphInstantiateWithFlags(&mut executable, copy, 0));
    ok!(cuGraphLaunch(executable, null_mut()));
    assert_eq!(word(first), 3);
}

#[test]
fn a_graph_is_drawn_with_its_kernels_and_its_order() {
    let _context = context();
    let (outer, inner) = (graph(), graph());
    let at = device(1, 0);
    add(inner, &[fill(inner, &[], at, 3, 1)], [1, 1], at, 1);
    made!(cuGraphAddChildGraphNode(outer, null_mut(), 0, inner));
    let path = std::env::temp_dir().join(format!("graph-{}.dot", std::process::id()));
    let name = std::ffi::CString::new(path.to_str().expect("a path")).expect("text");
    ok!(cuGraphDebugDotPrint(outer, name.as_ptr(), 1));
    assert_eq!(call!(cuGraphDebugDotPrint(outer, name.as_ptr(), 1 << 20)), CUresult::CUDA_ERROR_INVALID_VALUE);
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
    type Call = unsafe extern "C" fn(sys::CUstream, unsafe extern "C" fn(*mut c_void), *mut c_void, u32) -> CUresult;
    for version in [12000, 13000, 13020] {
        let call: Call = looked_up(c"cuLaunchHostFunc", version);
        // SAFETY: the signature of the interface; a word that outlives the call.
        ok(unsafe { call(null_mut(), note, (&raw mut calls).cast(), 0) });
        ok!(cuCtxSynchronize());
    }
    assert_eq!(calls, 3);
}
