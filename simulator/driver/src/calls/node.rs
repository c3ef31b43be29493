//! The parameter structs of graph nodes, as steps.
use crate::calls::node_parameters::of_event;
use crate::calls::{copy, graph, launch};
use crate::interface::cause::Cause;
use crate::interface::handles::Raw;
use crate::interface::layout::{
    Copy3d, FillNode, HostNode, InstantiateParameters, KernelNode, NodeParameters, UpdateResult,
};
use crate::interface::pointers::{out, out_text};
use crate::objects::graph::Step;
use crate::objects::work::{Fill, HostFunction};
use std::ffi::{c_char, c_int};

/// A kernel node's step.
///
/// # Safety
/// `node` is null or points to the struct.
pub unsafe fn kernel(node: *const KernelNode) -> Result<Step, Cause> {
    // SAFETY: `node` is null or points to the struct, as `of_node` asks.
    Ok(Step::Launch(Box::new(unsafe { launch::of_node(node)? })))
}

/// A copy node's step.
///
/// # Safety
/// `node` is null or points to the struct.
pub unsafe fn copy(node: *const Copy3d) -> Result<Step, Cause> {
    // SAFETY: the caller's promise.
    let node = unsafe { node.as_ref() }.ok_or(Cause::Null("copyParams"))?;
    Ok(Step::Copy(copy::transfer_3d(node)?))
}

/// A memset node's step.
///
/// # Safety
/// `node` is null or points to the struct.
pub unsafe fn fill(node: *const FillNode) -> Result<Step, Cause> {
    // SAFETY: the caller's promise.
    let node = unsafe { node.as_ref() }.ok_or(Cause::Null("memsetParams"))?;
    if !matches!(node.element_bytes, 1 | 2 | 4) {
        return Err(Cause::NoSuchValue("elementSize", node.element_bytes.into()));
    }
    Ok(Step::Fill(Fill {
        at: node.dst,
        value: node.value,
        element: node.element_bytes as usize,
        count: node.width,
        height: node.height,
        pitch: node.pitch,
    }))
}

/// A host node's step.
///
/// # Safety
/// `node` is null or points to the struct.
pub unsafe fn host(node: *const HostNode) -> Result<Step, Cause> {
    // SAFETY: the caller's promise.
    let node = unsafe { node.as_ref() }.ok_or(Cause::Null("nodeParams"))?;
    let function = node.function.ok_or(Cause::Null("fn"))?;
    Ok(Step::Host(HostFunction { function, data: node.data as usize }))
}

/// The step of a node of a kind of `CUgraphNodeType` that has parameters which can be replaced.
///
/// # Safety
/// `rest` is the inside of a [`NodeParameters`](crate::interface::layout::NodeParameters): each kind's struct stands there, aligned.
pub unsafe fn step(kind: u32, rest: *const u8) -> Result<Step, Cause> {
    // SAFETY: the caller's promise.
    unsafe {
        match kind {
            0 => kernel(rest.cast()),
            // Flags, a reserved word and the context come before the copy.
            1 => copy(rest.add(BEFORE_COPY).cast()),
            2 => fill(rest.cast()),
            3 => host(rest.cast()),
            6 | 7 => of_event(rest.cast::<Raw>().read(), kind == 7),
            4 | 5 | 8..=13 => Err(Cause::NotModelled("other parameters for a graph node of this kind")),
            other => Err(Cause::NoSuchValue("type", other.into())),
        }
    }
}

/// Where a copy stands in its node's parameters.
pub const BEFORE_COPY: usize = 16;

/// `cuGraphNodeSetParams`, both versions
///
/// # Safety
/// `parameters` is null or points to the struct.
pub unsafe fn set_parameters(node: Raw, parameters: *const NodeParameters) -> Result<(), Cause> {
    // SAFETY: the caller's promise; the structs stand inside of `rest`.
    let step = unsafe {
        let parameters = parameters.as_ref().ok_or(Cause::Null("nodeParams"))?;
        step(parameters.kind, (&raw const parameters.rest).cast())?
    };
    graph::set_step(node, step)
}

/// `cuGraphExecNodeSetParams`
///
/// # Safety
/// `parameters` is null or points to the struct.
pub unsafe fn set_executable_parameters(
    executable: Raw,
    node: Raw,
    parameters: *const NodeParameters,
) -> Result<(), Cause> {
    // SAFETY: the caller's promise; the structs stand inside of `rest`.
    let step = unsafe {
        let parameters = parameters.as_ref().ok_or(Cause::Null("nodeParams"))?;
        step(parameters.kind, (&raw const parameters.rest).cast())?
    };
    graph::set_executable_step(executable, node, step)
}

/// `cuGraphInstantiate_v2`: tells why it failed.
///
/// # Safety
/// The pointers are as the interface defines them: `log` is null or has `room` bytes.
pub unsafe fn instantiate_v2(
    executable: *mut Raw,
    from: Raw,
    error_node: *mut Raw,
    log: *mut c_char,
    room: usize,
) -> Result<(), Cause> {
    // SAFETY: the pointers are the caller's, as `graph::instantiate` asks.
    let outcome = unsafe { graph::instantiate(executable, from, 0) };
    // SAFETY: each is null or the caller's.
    unsafe {
        if outcome.is_err() && !error_node.is_null() {
            out("phErrorNode", error_node, std::ptr::null_mut())?;
        }
        if room > 0 && !log.is_null() {
            let words = outcome.as_ref().err().map(ToString::to_string).unwrap_or_default();
            out_text("logBuffer", log, c_int::try_from(room).unwrap_or(c_int::MAX), &words)?;
        }
    }
    outcome
}

/// `cuGraphInstantiateWithParams`
///
/// # Safety
/// The pointers are as the interface defines them.
pub unsafe fn instantiate(
    executable: *mut Raw,
    from: Raw,
    parameters: *mut InstantiateParameters,
) -> Result<(), Cause> {
    // SAFETY: the caller's promise.
    let parameters = unsafe { parameters.as_mut() }.ok_or(Cause::Null("instantiateParams"))?;
    parameters.error_node = std::ptr::null_mut();
    // SAFETY: the pointers are the caller's, as `graph::instantiate` asks.
    let outcome = unsafe { graph::instantiate(executable, from, parameters.flags) };
    parameters.result = match &outcome {
        Ok(()) => 0,
        Err(Cause::GraphCycle) => 2,
        Err(_) => 1,
    };
    outcome
}

/// `cuGraphExecUpdate_v2`
///
/// # Safety
/// `result` is null or points to the struct.
pub unsafe fn update(executable: Raw, from: Raw, result: *mut UpdateResult) -> Result<(), Cause> {
    let outcome = graph::update(executable, from);
    // SAFETY: the caller's promise.
    if let Some(result) = unsafe { result.as_mut() } {
        result.error_node = std::ptr::null_mut();
        result.error_from_node = std::ptr::null_mut();
        result.result = match &outcome {
            Ok(()) => 0,
            Err(Cause::GraphShape) => 2,
            Err(_) => 1,
        };
    }
    outcome
}
