//! Graphs as pictures.
use crate::interface::{Cause, Outcome, text};
use crate::objects::graphs::{Node, Step};
use crate::state::{self, Driver};
use cuda::layout::Raw;
use std::ffi::{c_char, c_uint};

/// The nodes and their order in Graphviz's language. Flags ask for more of what nodes do; the kinds of
/// nodes and the names of kernels are always there, and more is not.
pub unsafe fn cuGraphDebugDotPrint(graph: Raw, path: *const c_char, flags: c_uint) -> Outcome {
    let path = unsafe { text("path", path)? };
    refuse_if!(flags >= 1 << 17, Cause::NoSuchValue("flags", flags.into()));
    let driver = state::lock();
    let words = format!("digraph dot {{\n{}}}\n", cluster(&driver, graph as usize)?);
    std::fs::write(&path, words).map_err(|error| Cause::NoFile(path, error.to_string()))
}

/// A graph, and after it those inside of its nodes.
fn cluster(driver: &Driver, graph: usize) -> Result<String, Cause> {
    let found = driver.graphs.get(graph)?;
    let name = |node: &Node| format!("\"node_{:x}\"", node.handle);
    let (mut words, mut inside) =
        (format!("subgraph cluster_{graph:x} {{\nlabel=\"graph_{graph:x}\";\n"), String::new());
    for (_, node) in found.live() {
        let kernel = match &node.step {
            Step::Launch(launch) => format!("\\n{}", launch.name()),
            Step::Child(child) => {
                inside += &cluster(driver, *child)?;
                format!("\\ngraph_{child:x}")
            }
            Step::Conditional(conditional) => {
                for &body in conditional.bodies.iter() {
                    inside += &cluster(driver, body)?;
                }
                conditional.bodies.iter().map(|body| format!("\\ngraph_{body:x}")).collect()
            }
            _ => String::new(),
        };
        words += &format!("{} [shape=\"rectangle\" label=\"{}{kernel}\"];\n", name(node), node.step.kind().1);
        for &earlier in &node.after {
            words += &format!("{} -> {};\n", name(&found.nodes[earlier]), name(node));
        }
    }
    Ok(words + "}\n" + &inside)
}
