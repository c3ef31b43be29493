//! Nodes of graphs by handle.
use crate::interface::{Cause, Outcome};
use crate::objects::graphs::{Graph, Node, Step};
use crate::state::Driver;

impl Driver {
    /// Gives handles to nodes that have none.
    pub fn name_nodes(&mut self, graph: usize) -> Outcome {
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
        for node in gone.nodes.iter().filter(|node| !node.destroyed) {
            if node.handle != 0 {
                self.nodes.remove(node.handle)?;
            }
            if let Step::Child(child) = node.step {
                self.remove_graph(child)?;
            }
        }
        Ok(gone.objects)
    }

    /// A copy of a graph, with copies of its children and with nodes of its own. It holds the user objects that the
    /// original holds, without counting them.
    pub fn copy_graph(&mut self, original: usize, parent: Option<usize>) -> Result<usize, Cause> {
        let copy = Graph { parent, ..self.graphs.get(original)?.clone() };
        self.enter_graph(copy)
    }

    /// Takes in a graph whose nodes are those of another: they become nodes of its own.
    pub fn enter_graph(&mut self, graph: Graph) -> Result<usize, Cause> {
        let entered = self.graphs.insert(graph);
        for index in 0..self.graphs.get(entered)?.nodes.len() {
            let node = &mut self.graphs.get_mut(entered)?.nodes[index];
            node.handle = 0;
            if let (false, &Step::Child(child)) = (node.destroyed, &node.step) {
                let copied = self.copy_graph(child, Some(entered))?;
                self.graphs.get_mut(entered)?.nodes[index].step = Step::Child(copied);
            }
        }
        self.name_nodes(entered)?;
        Ok(entered)
    }

    /// True if a graph is another, or its child or body, at any depth.
    pub fn is_within(&self, mut graph: usize, outer: usize) -> bool {
        while graph != outer {
            let Some(parent) = self.graphs.get(graph).ok().and_then(|graph| graph.parent) else { return false };
            graph = parent;
        }
        true
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
