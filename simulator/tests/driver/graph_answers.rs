//! Nodes in the one struct for all kinds, nodes that are switched off, and what graphs answer of themselves.
use crate::graph_nodes::{fill, graph};
use crate::textures::{FLOAT, copy_3d, descriptor};
use crate::{context, device, looked_up, ok, word};
use cudarc::driver::sys::{self, CUgraphNodeType as Kind, CUresult};
use std::mem::MaybeUninit;
use std::ptr::null_mut;

/// The node's answer, in the struct for all kinds.
fn asked(node: sys::CUgraphNode) -> MaybeUninit<sys::CUgraphNodeParams> {
    let mut parameters = MaybeUninit::<sys::CUgraphNodeParams>::zeroed();
    // SAFETY: a place for the struct.
    ok(unsafe {
        type Get = unsafe extern "C" fn(sys::CUgraphNode, *mut sys::CUgraphNodeParams) -> CUresult;
        looked_up::<Get>(c"cuGraphNodeGetParams", 13020)(node, parameters.as_mut_ptr())
    });
    parameters
}

#[test]
fn a_node_answers_in_the_struct_for_all_kinds_and_takes_it_again() {
    let _context = context();
    let (graph, at) = (graph(), device(4, 0));
    let node = fill(graph, &[], at, 3, 1);
    let mut parameters = asked(node);
    let (to, from) = (parameters.as_mut_ptr(), parameters.as_ptr());
    // SAFETY: the union's part for fills; places for handles.
    unsafe {
        assert_eq!((*from).type_, Kind::CU_GRAPH_NODE_TYPE_MEMSET);
        let memset = &mut (*to).__bindgen_anon_1.memset;
        assert_eq!((memset.dst, memset.value, memset.width), (at, 3, 1));
        memset.value = 7;
        ok!(cuGraphNodeSetParams(node, to));
        let executable = made!(cuGraphInstantiateWithFlags(graph, 0));
        ok!(cuGraphLaunch(executable, null_mut()));
        assert_eq!(word(at), 7);
        (*to).__bindgen_anon_1.memset.value = 9;
        ok!(cuGraphExecNodeSetParams(executable, node, to));
        ok!(cuGraphLaunch(executable, null_mut()));
        assert_eq!(word(at), 9);
        // Parameters of another kind than the node.
        let empty = made!(cuGraphAddEmptyNode(graph, null_mut(), 0));
        assert_ne!(call!(cuGraphNodeSetParams(empty, to)), CUresult::CUDA_SUCCESS);
        let parameters = asked(empty);
        assert_eq!((*parameters.as_ptr()).type_, Kind::CU_GRAPH_NODE_TYPE_EMPTY);
    }
}

#[test]
fn a_copy_answers_where_it_goes_in_an_array() {
    let _context = context();
    let (graph, from) = (graph(), device(16, 5));
    // SAFETY: structs of the interface, places for handles.
    unsafe {
        let array = made!(cuArray3DCreate_v2(&descriptor([8, 4, 2], FLOAT, 1, 0)));
        let mut copy = copy_3d(sys::CUmemorytype::CU_MEMORYTYPE_DEVICE, sys::CUmemorytype::CU_MEMORYTYPE_ARRAY);
        (copy.srcDevice, copy.srcPitch, copy.srcHeight) = (from, 16, 2);
        (copy.dstArray, copy.dstXInBytes, copy.dstY, copy.dstZ) = (array, 8, 2, 1);
        (copy.WidthInBytes, copy.Height, copy.Depth) = (12, 2, 1);
        let node = made!(cuGraphAddMemcpyNode(graph, null_mut(), 0, &copy, null_mut()));
        let mut found = copy;
        found.dstZ = 9;
        ok!(cuGraphMemcpyNodeGetParams(node, &mut found));
        assert_eq!((found.srcMemoryType, found.dstMemoryType), (copy.srcMemoryType, copy.dstMemoryType));
        assert_eq!((found.srcDevice, found.srcPitch, found.srcHeight), (from, 16, 2));
        assert_eq!((found.dstArray, found.dstXInBytes, found.dstY, found.dstZ), (array, 8, 2, 1));
        assert_eq!((found.WidthInBytes, found.Height, found.Depth), (12, 2, 1));
        // The same in the struct for all kinds, where the copy comes behind flags and a context.
        let all = asked(node);
        assert_eq!((*all.as_ptr()).type_, Kind::CU_GRAPH_NODE_TYPE_MEMCPY);
        assert_eq!((*all.as_ptr()).__bindgen_anon_1.memcpy.copyParams.dstArray, array);
    }
}

#[test]
fn a_node_that_is_switched_off_does_nothing() {
    let _context = context();
    let (graph, first, second) = (graph(), device(1, 0), device(1, 0));
    let (one, two) = (fill(graph, &[], first, 3, 1), fill(graph, &[], second, 4, 1));
    let (mut is_on, mut flags) = (9, 9);
    let executable = made!(cuGraphInstantiateWithFlags(graph, 1));
    ok!(cuGraphExecGetFlags(executable, &mut flags));
    assert_eq!(flags, 1);
    ok!(cuGraphNodeSetEnabled(executable, one, 0));
    ok!(cuGraphLaunch(executable, null_mut()));
    assert_eq!((word(first), word(second)), (0, 4));
    ok!(cuGraphNodeGetEnabled(executable, one, &mut is_on));
    assert_eq!(is_on, 0);
    ok!(cuGraphNodeGetEnabled(executable, two, &mut is_on));
    assert_eq!(is_on, 1);
    ok!(cuGraphNodeSetEnabled(executable, one, 1));
    ok!(cuGraphLaunch(executable, null_mut()));
    assert_eq!(word(first), 3);
    let empty = made!(cuGraphAddEmptyNode(graph, null_mut(), 0));
    assert_ne!(call!(cuGraphNodeSetEnabled(executable, empty, 0)), CUresult::CUDA_SUCCESS, "it came later");
}

#[test]
fn graphs_and_nodes_have_numbers() {
    let _context = context();
    let (one, two) = (graph(), graph());
    let at = device(1, 0);
    let nodes = [fill(one, &[], at, 3, 1), fill(one, &[], at, 4, 1), fill(two, &[], at, 5, 1)];
    let (mut ids, mut local, mut tools) = ([0u32; 2], [9u32; 3], [0u64; 3]);
    // SAFETY: places for numbers and handles.
    unsafe {
        type Of<T> = unsafe extern "C" fn(*mut std::ffi::c_void, *mut T) -> CUresult;
        let graph_id = looked_up::<Of<u32>>(c"cuGraphGetId", 13020);
        ok(graph_id(one.cast(), &mut ids[0]));
        ok(graph_id(two.cast(), &mut ids[1]));
        for (index, &node) in nodes.iter().enumerate() {
            ok(looked_up::<Of<u32>>(c"cuGraphNodeGetLocalId", 13020)(node.cast(), &mut local[index]));
            ok(looked_up::<Of<u64>>(c"cuGraphNodeGetToolsId", 13020)(node.cast(), &mut tools[index]));
        }
        let mut found: sys::CUgraph = null_mut();
        ok(looked_up::<Of<sys::CUgraph>>(c"cuGraphNodeGetContainingGraph", 13020)(nodes[2].cast(), &mut found));
        assert_eq!(found, two);
        let mut none = 0;
        assert_ne!(graph_id(null_mut(), &mut none), CUresult::CUDA_SUCCESS);
    }
    assert_ne!(ids[0], ids[1]);
    assert_eq!(local, [0, 1, 0]);
    assert!(tools[0] != tools[1] && tools[1] != tools[2] && tools[0] != tools[2]);
}
