//! Questions and settings of executable graphs and their nodes, besides parameters.
use crate::interface::{Cause, Outcome, forward, out};
use crate::objects::graphs::Step;
use crate::state::{self, Driver};
use cuda::layout::Raw;
use std::ffi::c_uint;

/// The node of an executable graph that comes from a node of its graph, by number.
fn place(driver: &Driver, executable: Raw, node: Raw) -> Result<usize, Cause> {
    driver.nodes.get(node as usize)?;
    let nodes = &driver.executables.get(executable as usize)?.nodes;
    let found = nodes.iter().position(|other| other.handle == node as usize);
    found.ok_or(Cause::NoHandle("node of this graph"))
}

/// A kernel, a copy or a fill that is not does nothing until it is again.
pub fn cuGraphNodeSetEnabled(executable: Raw, node: Raw, is_enabled: c_uint) -> Outcome {
    let mut driver = state::lock();
    let index = place(&driver, executable, node)?;
    let node = &mut driver.executables.get_mut(executable as usize)?.nodes[index];
    if !matches!(node.step, Step::Launch(_) | Step::Copy(_) | Step::Fill(_)) {
        return Err(Cause::NoHandle("node of a kernel, a copy or a fill"));
    }
    node.is_enabled = is_enabled != 0;
    Ok(())
}

pub unsafe fn cuGraphNodeGetEnabled(executable: Raw, node: Raw, is_enabled: *mut c_uint) -> Outcome {
    let driver = state::lock();
    let index = place(&driver, executable, node)?;
    let found = driver.executables.get(executable as usize)?.nodes[index].is_enabled;
    unsafe { out("isEnabled", is_enabled, found.into()) }
}

cuda::forward_executables!(forward);
