//! The parameter structs of graph nodes, as steps.
use super::graph;
use crate::calls::memory::copy;
use crate::calls::modules::launch;
use crate::interface::{Cause, Outcome, forward, out_if_wanted, out_text};
use crate::objects::graphs::{Fill, HostFunction, Step};
use cuda::layout::{Copy3d, FillNode, HostNode, InstantiateParameters, KernelNode, NodeParameters, Raw, UpdateResult};
use std::ffi::{c_char, c_int};

/// A kernel node's step.
pub unsafe fn kernel_step(node: *const KernelNode) -> Result<Step, Cause> {
    // SAFETY: `node` is null or points to the struct, as `of_node` asks.
    Ok(Step::Launch(Box::new(unsafe { launch::of_node(node)? })))
}

/// A copy node's step.
pub unsafe fn copy_step(node: *const Copy3d) -> Result<Step, Cause> {
    let node = unsafe { node.as_ref() }.ok_or(Cause::Null("copyParams"))?;
    Ok(Step::Copy(copy::transfer_3d(node)?))
}

/// A memset node's step.
pub unsafe fn fill_step(node: *const FillNode) -> Result<Step, Cause> {
    let node = unsafe { node.as_ref() }.ok_or(Cause::Null("memsetParams"))?;
    refuse_if!(!matches!(node.element_bytes, 1 | 2 | 4), Cause::NoSuchValue("elementSize", node.element_bytes.into()));
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
pub unsafe fn host_step(node: *const HostNode) -> Result<Step, Cause> {
    let node = unsafe { node.as_ref() }.ok_or(Cause::Null("nodeParams"))?;
    let function = node.function.ok_or(Cause::Null("fn"))?;
    Ok(Step::Host(HostFunction { function, data: node.data as usize }))
}

/// The step of a node of a kind of `CUgraphNodeType` that has parameters which can be replaced.
///
/// # Safety
/// `rest` is the inside of a [`NodeParameters`](cuda::layout::NodeParameters): each kind's struct stands there, aligned.
pub unsafe fn step(kind: u32, rest: *const u8) -> Result<Step, Cause> {
    unsafe {
        match kind {
            0 => kernel_step(rest.cast()),
            // Flags, a reserved word and the context come before the copy.
            1 => copy_step(rest.add(NodeParameters::BEFORE_COPY).cast()),
            2 => fill_step(rest.cast()),
            3 => host_step(rest.cast()),
            6 | 7 => graph::of_event(rest.cast::<Raw>().read(), kind == 7),
            4 | 5 | 8..=13 => Err(Cause::NotModelled("other parameters for a graph node of this kind")),
            other => Err(Cause::NoSuchValue("type", other.into())),
        }
    }
}

/// As [`step`], of the whole struct.
unsafe fn of_parameters(parameters: *const NodeParameters) -> Result<Step, Cause> {
    // SAFETY: the caller gives pointers as the interface asks; the structs stand inside of `rest`.
    unsafe {
        let parameters = parameters.as_ref().ok_or(Cause::Null("nodeParams"))?;
        step(parameters.kind, (&raw const parameters.rest).cast())
    }
}

/// Tells why it failed.
///
/// # Safety
/// The pointers are as the interface defines them: `log` is null or has `room` bytes.
pub unsafe fn cuGraphInstantiate_v2(
    executable: *mut Raw,
    from: Raw,
    error_node: *mut Raw,
    log: *mut c_char,
    room: usize,
) -> Outcome {
    let outcome = unsafe { graph::cuGraphInstantiateWithFlags(executable, from, 0) };
    unsafe {
        if outcome.is_err() {
            out_if_wanted(error_node, std::ptr::null_mut());
        }
        if room > 0 && !log.is_null() {
            let words = outcome.as_ref().err().map(ToString::to_string).unwrap_or_default();
            out_text("logBuffer", log, c_int::try_from(room).unwrap_or(c_int::MAX), &words)?;
        }
    }
    outcome
}

pub unsafe fn cuGraphInstantiateWithParams(
    executable: *mut Raw,
    from: Raw,
    parameters: *mut InstantiateParameters,
) -> Outcome {
    let parameters = unsafe { parameters.as_mut() }.ok_or(Cause::Null("instantiateParams"))?;
    parameters.error_node = std::ptr::null_mut();
    let outcome = unsafe { graph::cuGraphInstantiateWithFlags(executable, from, parameters.flags) };
    parameters.result = match &outcome {
        Ok(()) => 0,
        Err(Cause::GraphCycle) => 2,
        Err(_) => 1,
    };
    outcome
}

pub unsafe fn cuGraphExecUpdate_v2(executable: Raw, from: Raw, result: *mut UpdateResult) -> Outcome {
    let outcome = graph::update(executable, from);
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

cuda::forward_nodes!(forward);
