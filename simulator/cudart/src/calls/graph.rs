//! Graphs: nodes whose parameters differ from the driver's, and those that do not.
use crate::calls::copy::driver_copy;
use crate::context::{answer, enter};
use crate::driver::Raw;
use crate::layout::{Extent, Pitched, RuntimeCopy3d, RuntimeKernelNode};
use crate::registry;
use crate::status::{Failure, INVALID_VALUE, Outcome};
use cuda::layout::{Copy3d, FillNode, KernelNode, NodeParameters};
use std::ffi::c_int;
use std::ptr::null_mut;

/// Where a node goes: the graph, and what it waits for.
#[derive(Clone, Copy)]
pub struct Place {
    pub graph: Raw,
    pub dependencies: *const Raw,
    pub count: usize,
}

/// The node that the runtime's parameters mean.
unsafe fn kernel_node(parameters: *const RuntimeKernelNode) -> Result<KernelNode, Failure> {
    let given = unsafe { parameters.as_ref() }.ok_or(INVALID_VALUE)?;
    Ok(KernelNode {
        function: registry::function(given.function)?.1,
        grid: given.grid.array(),
        block: given.block.array(),
        shared_bytes: given.shared_bytes,
        parameters: given.parameters,
        extra: given.extra,
        kernel: null_mut(),
        context: null_mut(),
    })
}

/// `cudaGraphAddKernelNode`
pub unsafe fn add_kernel(node: *mut Raw, place: Place, parameters: *const RuntimeKernelNode) -> Outcome {
    unsafe {
        let kernel = kernel_node(parameters)?;
        answer(node, |driver, made| {
            driver.cuGraphAddKernelNode_v2(made, place.graph, place.dependencies, place.count, &kernel)
        })
    }
}

/// `cudaGraphAddNode` in its versions: the kinds whose parameters are the driver's go on as they are.
pub unsafe fn add_node(node: *mut Raw, place: Place, parameters: *mut NodeParameters) -> Outcome {
    let given = unsafe { parameters.as_mut() }.ok_or(INVALID_VALUE)?;
    let rest = (&raw mut given.rest).cast::<u8>();
    // SAFETY: each kind's struct stands where the interface puts it, inside of `rest`; the caller's pointers.
    unsafe {
        match given.kind {
            0 => add_kernel(node, place, rest.cast()),
            1 => add_copy(node, place, rest.add(NodeParameters::BEFORE_COPY).cast()),
            2 => add_fill(node, place, rest.cast()),
            _ => answer(node, |driver, made| {
                driver.cuGraphAddNode(made, place.graph, place.dependencies, place.count, parameters)
            }),
        }
    }
}

/// `cudaGraphKernelNodeSetParams`, and of an executable graph `cudaGraphExecKernelNodeSetParams`
pub unsafe fn set_kernel(executable: Option<Raw>, node: Raw, parameters: *const RuntimeKernelNode) -> Outcome {
    unsafe {
        let kernel = kernel_node(parameters)?;
        let driver = enter()?.0;
        match executable {
            Some(executable) => driver.cuGraphExecKernelNodeSetParams_v2(executable, node, &kernel),
            None => driver.cuGraphKernelNodeSetParams_v2(node, &kernel),
        }
    }
}

/// A copy of bytes, as a copy of slices.
pub fn one_row(to: Raw, from: Raw, bytes: usize, kind: c_int) -> RuntimeCopy3d {
    let origin = Extent { width: 0, height: 0, depth: 0 };
    let row = |at: Raw| Pitched { pointer: at, pitch: bytes, width: bytes, height: 1 };
    RuntimeCopy3d {
        from_array: null_mut(),
        from_position: origin,
        from: row(from),
        to_array: null_mut(),
        to_position: origin,
        to: row(to),
        extent: Extent { width: bytes, height: 1, depth: 1 },
        kind,
    }
}

unsafe fn read(copy: *const RuntimeCopy3d) -> Result<Copy3d, Failure> {
    driver_copy(unsafe { copy.as_ref() }.ok_or(INVALID_VALUE)?)
}

/// `cudaGraphAddMemcpyNode` and its like.
pub unsafe fn add_copy(node: *mut Raw, place: Place, copy: *const RuntimeCopy3d) -> Outcome {
    let context = enter()?.1;
    unsafe {
        let copy = read(copy)?;
        answer(node, |driver, made| {
            driver.cuGraphAddMemcpyNode(made, place.graph, place.dependencies, place.count, &copy, context)
        })
    }
}

/// `cudaGraphExecMemcpyNodeSetParams` and its like.
pub unsafe fn set_copy(executable: Raw, node: Raw, copy: *const RuntimeCopy3d) -> Outcome {
    let (driver, context) = enter()?;
    unsafe { driver.cuGraphExecMemcpyNodeSetParams(executable, node, &read(copy)?, context) }
}

/// A copy whose one side is a variable.
pub fn of_symbol(
    shadow: Raw,
    other: Raw,
    bytes: usize,
    offset: usize,
    kind: c_int,
    is_from: bool,
) -> Result<RuntimeCopy3d, Failure> {
    let (address, length) = registry::symbol(shadow)?;
    refuse_if!(offset.checked_add(bytes).is_none_or(|end| end > length), INVALID_VALUE);
    let inside = (address + offset as u64) as Raw;
    Ok(if is_from { one_row(other, inside, bytes, kind) } else { one_row(inside, other, bytes, kind) })
}

/// `cudaGraphAddMemsetNode`: the struct is the driver's.
pub unsafe fn add_fill(node: *mut Raw, place: Place, fill: *const FillNode) -> Outcome {
    let context = enter()?.1;
    unsafe {
        answer(node, |driver, made| {
            driver.cuGraphAddMemsetNode(made, place.graph, place.dependencies, place.count, fill, context)
        })
    }
}

/// `cudaGraphInstantiate`
pub unsafe fn instantiate(executable: *mut Raw, graph: Raw, flags: u64) -> Outcome {
    unsafe { answer(executable, |driver, made| driver.cuGraphInstantiateWithFlags(made, graph, flags)) }
}
