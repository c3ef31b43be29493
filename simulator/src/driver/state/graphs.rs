//! Nodes of graphs by handle.
use crate::driver::interface::cause::Cause;
use crate::driver::objects::graph::Node;
use crate::driver::state::Driver;

impl Driver {
    /// Gives handles to nodes that have none.
    pub fn name_nodes(&mut self, graph: usize) -> Result<(), Cause> {
        for index in 0..self.graphs.get(graph)?.nodes.len() {
            if self.graphs.get(graph)?.nodes[index].handle == 0 {
                let handle = self.nodes.insert((graph, index));
                self.graphs.get_mut(graph)?.nodes[index].handle = handle;
            }
        }
        Ok(())
    }

    /// Takes a graph with its nodes out, and answers the user objects that it held. Memory that its nodes allocate keeps its
    /// place as long as an executable graph may bring it back.
    pub fn remove_graph(&mut self, graph: usize) -> Result<Vec<(usize, u32)>, Cause> {
        let gone = self.graphs.remove(graph)?;
        for node in &gone.nodes {
            if node.handle != 0 && !node.destroyed {
                self.nodes.remove(node.handle)?;
            }
        }
        Ok(gone.objects)
    }

    /// Indices of nodes, all of one graph.
    pub fn node_indices(&self, graph: usize, handles: &[usize]) -> Result<Vec<usize>, Cause> {
        handles
            .iter()
            .map(|&handle| match self.nodes.get(handle)? {
                &(owner, index) if owner == graph => Ok(index),
                _ => Err(Cause::NoHandle("node of this graph")),
            })
            .collect()
    }

    /// A live node.
    pub fn node(&mut self, handle: usize) -> Result<&mut Node, Cause> {
        let &(graph, index) = self.nodes.get(handle)?;
        let node = &mut self.graphs.get_mut(graph)?.nodes[index];
        if node.destroyed { Err(Cause::DestroyedHandle("node")) } else { Ok(node) }
    }
}
