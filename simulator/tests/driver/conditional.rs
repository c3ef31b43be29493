//! Graphs that choose what runs by a value that a kernel sets.
use crate::graph_nodes::{fill, graph};
use crate::link::Link;
use crate::{answer, context, device, function, increment, kernel, ok, word, zeroed};
use cudarc::driver::sys::{self, CUresult};
use std::ptr::{null, null_mut};

/// Counts *n down and sets the condition to what is left, through the device runtime.
const COUNTER: &str = concat!(include_str!("conditional.ptx"), "\0");

/// Loaded as it is, as programs do that compile it with NVRTC: the driver has the function's body.
fn loaded_count_down() -> sys::CUfunction {
    function(COUNTER.as_bytes(), c"count_down")
}

fn count_down() -> sys::CUfunction {
    let link = Link::new(0);
    ok(link.add(sys::CUjitInputType::CU_JIT_INPUT_PTX, COUNTER.as_bytes(), c"counter"));
    let (result, image) = link.complete();
    ok(result);
    function(&image, c"count_down")
}

fn add(graph: sys::CUgraph, after: &[sys::CUgraphNode], parameters: &mut sys::CUgraphNodeParams) -> sys::CUgraphNode {
    answer(|to| call!(cuGraphAddNode(to, graph, after.as_ptr(), after.len(), parameters)))
}

/// A kernel node of one thread, with two parameters.
fn launch(
    graph: sys::CUgraph,
    after: &[sys::CUgraphNode],
    function: sys::CUfunction,
    parameters: [u64; 2],
) -> sys::CUgraphNode {
    let mut arguments = parameters.each_ref().map(|value| std::ptr::from_ref(value).cast_mut().cast());
    let mut parameters: sys::CUgraphNodeParams = zeroed();
    parameters.type_ = sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_KERNEL;
    // SAFETY: the kernel's part of the struct.
    let kernel = unsafe { &mut parameters.__bindgen_anon_1.kernel };
    (kernel.func, kernel.kernelParams) = (function, arguments.as_mut_ptr());
    (kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ) = (1, 1, 1);
    (kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ) = (1, 1, 1);
    add(graph, after, &mut parameters)
}

/// A conditional node, and its bodies.
fn choose(
    graph: sys::CUgraph,
    after: &[sys::CUgraphNode],
    handle: u64,
    kind: sys::CUgraphConditionalNodeType,
    size: u32,
) -> Vec<sys::CUgraph> {
    // SAFETY: as above.
    unsafe {
        let mut parameters: sys::CUgraphNodeParams = zeroed();
        parameters.type_ = sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL;
        let conditional = &mut parameters.__bindgen_anon_1.conditional;
        (conditional.handle, conditional.type_, conditional.size) = (handle, kind, size);
        add(graph, after, &mut parameters);
        let conditional = &parameters.__bindgen_anon_1.conditional;
        std::slice::from_raw_parts(conditional.phGraph_out, size as usize).to_vec()
    }
}

fn handle(graph: sys::CUgraph, first: u32) -> u64 {
    answer(|to| call!(cuGraphConditionalHandleCreate(to, graph, null_mut(), first, 1)))
}

fn executable(graph: sys::CUgraph) -> sys::CUgraphExec {
    answer(|to| call!(cuGraphInstantiateWithFlags(to, graph, 0)))
}

#[test]
fn a_loop_runs_until_its_kernel_says_so() {
    let _context = context();
    for kernel in [count_down(), loaded_count_down()] {
        a_loop(kernel);
    }
}

fn a_loop(count_down: sys::CUfunction) {
    let (count, sum) = (device(1, 5), device(1, 0));
    let graph = graph();
    let condition = handle(graph, 1);
    let body = choose(graph, &[], condition, sys::CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_WHILE, 1)[0];
    let up = launch(body, &[], kernel(c"increment"), [sum, 1]);
    launch(body, &[up], count_down, [condition, count]);
    let executable = executable(graph);
    let mut copy = null_mut();
    ok!(cuGraphLaunch(executable, null_mut()));
    assert_eq!((word(sum), word(count)), (5, 0));
    // The default is given anew: one turn, which counts 0 down to 2³² − 1, and more until it is set to 0.
    ok!(cuMemsetD32_v2(count, 1, 1));
    ok!(cuGraphLaunch(executable, null_mut()));
    assert_eq!((word(sum), word(count)), (6, 0));
    assert_eq!(call!(cuGraphClone(&mut copy, graph)), CUresult::CUDA_ERROR_NOT_SUPPORTED);
}

#[test]
fn a_value_chooses_among_bodies() {
    let _context = context();
    // (kind, bodies, value, which body adds)
    use sys::CUgraphConditionalNodeType::*;
    let cases = [
        (CU_GRAPH_COND_TYPE_IF, 1, 7, Some(0)),
        (CU_GRAPH_COND_TYPE_IF, 1, 0, None),
        (CU_GRAPH_COND_TYPE_IF, 2, 0, Some(1)),
        (CU_GRAPH_COND_TYPE_SWITCH, 3, 2, Some(2)),
        (CU_GRAPH_COND_TYPE_SWITCH, 3, 3, None),
    ];
    for (kind, size, value, wanted) in cases {
        let graph = graph();
        let condition = handle(graph, value);
        let bodies = choose(graph, &[], condition, kind, size);
        let sums: Vec<u64> = bodies.iter().map(|_| device(1, 0)).collect();
        for (&body, &sum) in bodies.iter().zip(&sums) {
            launch(body, &[], kernel(c"increment"), [sum, 1]);
        }
        ok!(cuGraphLaunch(executable(graph), null_mut()));
        let ran: Vec<u32> = sums.iter().map(|&sum| word(sum)).collect();
        let want: Vec<u32> = (0..bodies.len()).map(|at| u32::from(wanted == Some(at))).collect();
        assert_eq!(ran, want, "{kind:?} of {size} by {value}");
    }
}

#[test]
fn what_comes_after_a_condition_waits_for_its_body() {
    let _context = context();
    let sum = device(1, 0);
    let graph = graph();
    let condition = handle(graph, 1);
    let (mut parameters, mut node): (sys::CUgraphNodeParams, _) = (zeroed(), null_mut());
    parameters.type_ = sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL;
    // SAFETY: the conditional part of the struct; live handles.
    let body = unsafe {
        let conditional = &mut parameters.__bindgen_anon_1.conditional;
        conditional.type_ = sys::CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_IF;
        (conditional.handle, conditional.size) = (condition + 4, 1);
        let wrong = call!(cuGraphAddNode(&mut node, graph, null(), 0, &mut parameters));
        assert_eq!(wrong, CUresult::CUDA_ERROR_INVALID_VALUE);
        parameters.__bindgen_anon_1.conditional.handle = condition;
        ok!(cuGraphAddNode(&mut node, graph, null(), 0, &mut parameters));
        *parameters.__bindgen_anon_1.conditional.phGraph_out
    };
    launch(body, &[], kernel(c"increment"), [sum, 1]);
    fill(graph, &[node], sum, 9, 1);
    let mut kind = sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_EMPTY;
    ok!(cuGraphNodeGetType(node, &mut kind));
    assert_eq!(kind, sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL);
    ok!(cuGraphLaunch(executable(graph), null_mut()));
    ok(increment(kernel(c"increment"), sum, 1, null_mut()));
    assert_eq!(word(sum), 10, "1, then 9, then one more");
}

#[test]
fn a_condition_belongs_to_its_graph_and_what_is_in_it() {
    let _context = context();
    let (own, other) = (graph(), graph());
    let condition = handle(own, 1);
    let body = choose(own, &[], condition, sys::CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_IF, 1)[0];
    choose(body, &[], condition, sys::CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_IF, 1);
    let mut node = null_mut();
    // SAFETY: a struct of plain numbers, for which zero is a value; its conditional part; live handles.
    unsafe {
        let mut parameters: sys::CUgraphNodeParams = zeroed();
        parameters.type_ = sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_CONDITIONAL;
        let conditional = &mut parameters.__bindgen_anon_1.conditional;
        conditional.type_ = sys::CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_IF;
        (conditional.handle, conditional.size) = (condition, 1);
        let wrong = call!(cuGraphAddNode(&mut node, other, null(), 0, &mut parameters));
        assert_eq!(wrong, CUresult::CUDA_ERROR_INVALID_VALUE);
    }
}

#[test]
fn an_executable_graph_takes_over_conditions_with_their_first_values() {
    let _context = context();
    let sums = [device(1, 0), device(1, 0)];
    let made = |first| {
        let graph = graph();
        let condition = handle(graph, first);
        let kind = sys::CUgraphConditionalNodeType::CU_GRAPH_COND_TYPE_SWITCH;
        for (body, sum) in choose(graph, &[], condition, kind, 2).into_iter().zip(sums) {
            launch(body, &[], kernel(c"increment"), [sum, 1]);
        }
        graph
    };
    let executable = executable(made(0));
    ok!(cuGraphLaunch(executable, null_mut()));
    ok!(cuGraphExecUpdate_v2(executable, made(1), &mut zeroed()));
    ok!(cuGraphLaunch(executable, null_mut()));
    assert_eq!(sums.map(word), [1, 1]);
}
