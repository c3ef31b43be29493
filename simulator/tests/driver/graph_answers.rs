//! Nodes in the one struct for all kinds, nodes that are switched off, and what graphs answer of themselves.
use crate::graph_nodes::{fill, graph};
use crate::mipmaps::descriptor;
use crate::textures::FLOAT;
use crate::{context, device, ok};
use cudarc::driver::sys::{self, CUgraphNodeType as Kind, CUresult};
use std::mem::MaybeUninit;
use std::ptr::null_mut;

/// A function that the bindings here do not declare, by the name that programs look up.
fn newer<F: Copy>(name: &std::ffi::CStr) -> F {
    let mut found = null_mut();
    // SAFETY: a text that ends in NUL, places for results; each caller names a function with its own signature.
    unsafe {
        ok(sys::cuGetProcAddress_v2(name.as_ptr(), &mut found, 13020, 0, null_mut()));
        std::mem::transmute_copy(&found)
    }
}

/// The node's answer, in the struct for all kinds.
fn asked(node: sys::CUgraphNode) -> MaybeUninit<sys::CUgraphNodeParams> {
    let mut parameters = MaybeUninit::<sys::CUgraphNodeParams>::zeroed();
    // SAFETY: a place for the struct.
    ok(unsafe {
        type Get = unsafe extern "C" fn(sys::CUgraphNode, *mut sys::CUgraphNodeParams) -> CUresult;
        newer::<Get>(c"cuGraphNodeGetParams")(node, parameters.as_mut_ptr())
    });
    parameters
}

fn words(at: u64, count: usize) -> Vec<u32> {
    let mut found = vec![0u32; count];
    // SAFETY: live memory.
    ok(unsafe { sys::cuMemcpyDtoH_v2(found.as_mut_ptr().cast(), at, 4 * count) });
    found
}

#[test]
fn a_node_answers_in_the_struct_for_all_kinds_and_takes_it_again() {
    let _context = context();
    let (graph, at) = (graph(), device(4, 0));
    let mut node = fill(graph, at, 3);
    let mut executable = null_mut();
    let mut parameters = asked(node);
    let (to, from) = (parameters.as_mut_ptr(), parameters.as_ptr());
    // SAFETY: the union's part for fills; places for handles.
    unsafe {
        assert_eq!((*from).type_, Kind::CU_GRAPH_NODE_TYPE_MEMSET);
        let memset = &mut (*to).__bindgen_anon_1.memset;
        assert_eq!((memset.dst, memset.value, memset.width), (at, 3, 1));
        memset.value = 7;
        ok(sys::cuGraphNodeSetParams(node, to));
        ok(sys::cuGraphInstantiateWithFlags(&mut executable, graph, 0));
        ok(sys::cuGraphLaunch(executable, null_mut()));
        assert_eq!(words(at, 1), [7]);
        (*to).__bindgen_anon_1.memset.value = 9;
        ok(sys::cuGraphExecNodeSetParams(executable, node, to));
        ok(sys::cuGraphLaunch(executable, null_mut()));
        assert_eq!(words(at, 1), [9]);
        // Parameters of another kind than the node.
        ok(sys::cuGraphAddEmptyNode(&mut node, graph, null_mut(), 0));
        assert_ne!(sys::cuGraphNodeSetParams(node, to), CUresult::CUDA_SUCCESS);
    }
    let empty = asked(node);
    // SAFETY: as above.
    assert_eq!(unsafe { (*empty.as_ptr()).type_ }, Kind::CU_GRAPH_NODE_TYPE_EMPTY);
}

#[test]
fn a_copy_answers_where_it_goes_in_an_array() {
    let _context = context();
    let (graph, from) = (graph(), device(16, 5));
    let (mut array, mut node) = (null_mut(), null_mut());
    // SAFETY: structs of the interface, places for handles.
    unsafe {
        ok(sys::cuArray3DCreate_v2(&mut array, &descriptor([8, 4, 2], FLOAT, 1, 0)));
        let mut copy = MaybeUninit::<sys::CUDA_MEMCPY3D>::zeroed();
        let to = copy.as_mut_ptr();
        (*to).srcMemoryType = sys::CUmemorytype::CU_MEMORYTYPE_DEVICE;
        (*to).dstMemoryType = sys::CUmemorytype::CU_MEMORYTYPE_ARRAY;
        ((*to).srcDevice, (*to).srcPitch, (*to).srcHeight) = (from, 16, 2);
        ((*to).dstArray, (*to).dstXInBytes, (*to).dstY, (*to).dstZ) = (array, 8, 2, 1);
        ((*to).WidthInBytes, (*to).Height, (*to).Depth) = (12, 2, 1);
        ok(sys::cuGraphAddMemcpyNode(&mut node, graph, null_mut(), 0, to, null_mut()));
        let mut found: sys::CUDA_MEMCPY3D = *to;
        found.dstZ = 9;
        ok(sys::cuGraphMemcpyNodeGetParams(node, &mut found));
        assert_eq!((found.srcMemoryType, found.dstMemoryType), ((*to).srcMemoryType, (*to).dstMemoryType));
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
    let (one, two) = (fill(graph, first, 3), fill(graph, second, 4));
    let (mut executable, mut is_on, mut flags) = (null_mut(), 9, 9);
    // SAFETY: places for handles and numbers.
    unsafe {
        ok(sys::cuGraphInstantiateWithFlags(&mut executable, graph, 1));
        ok(sys::cuGraphExecGetFlags(executable, &mut flags));
        assert_eq!(flags, 1);
        ok(sys::cuGraphNodeSetEnabled(executable, one, 0));
        ok(sys::cuGraphLaunch(executable, null_mut()));
        assert_eq!((words(first, 1)[0], words(second, 1)[0]), (0, 4));
        ok(sys::cuGraphNodeGetEnabled(executable, one, &mut is_on));
        assert_eq!(is_on, 0);
        ok(sys::cuGraphNodeGetEnabled(executable, two, &mut is_on));
        assert_eq!(is_on, 1);
        ok(sys::cuGraphNodeSetEnabled(executable, one, 1));
        ok(sys::cuGraphLaunch(executable, null_mut()));
        assert_eq!(words(first, 1), [3]);
        let mut empty = null_mut();
        ok(sys::cuGraphAddEmptyNode(&mut empty, graph, null_mut(), 0));
        assert_ne!(sys::cuGraphNodeSetEnabled(executable, empty, 0), CUresult::CUDA_SUCCESS, "it came later");
    }
}

#[test]
fn graphs_and_nodes_have_numbers() {
    let _context = context();
    let (one, two) = (graph(), graph());
    let at = device(1, 0);
    let nodes = [fill(one, at, 3), fill(one, at, 4), fill(two, at, 5)];
    let (mut ids, mut local, mut tools) = ([0u32; 2], [9u32; 3], [0u64; 3]);
    // SAFETY: places for numbers and handles.
    unsafe {
        type Of<T> = unsafe extern "C" fn(*mut std::ffi::c_void, *mut T) -> CUresult;
        let graph_id = newer::<Of<u32>>(c"cuGraphGetId");
        ok(graph_id(one.cast(), &mut ids[0]));
        ok(graph_id(two.cast(), &mut ids[1]));
        for (index, &node) in nodes.iter().enumerate() {
            ok(newer::<Of<u32>>(c"cuGraphNodeGetLocalId")(node.cast(), &mut local[index]));
            ok(newer::<Of<u64>>(c"cuGraphNodeGetToolsId")(node.cast(), &mut tools[index]));
        }
        let mut found: sys::CUgraph = null_mut();
        ok(newer::<Of<sys::CUgraph>>(c"cuGraphNodeGetContainingGraph")(nodes[2].cast(), &mut found));
        assert_eq!(found, two);
        let mut none = 0;
        assert_ne!(graph_id(null_mut(), &mut none), CUresult::CUDA_SUCCESS);
    }
    assert_ne!(ids[0], ids[1]);
    assert_eq!(local, [0, 1, 0]);
    assert!(tools[0] != tools[1] && tools[1] != tools[2] && tools[0] != tools[2]);
}
