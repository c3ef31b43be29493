//! Graphs: nodes with an order.
use super::conditional::{Condition, Conditional};
use super::operation::{Fill, HostFunction, Seq, Transfer};
use crate::interface::{Cause, Handles, Outcome};
use crate::objects::modules::launch::Launch;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The work of a node of a graph.
#[derive(Clone)]
pub enum Step {
    Empty,
    Copy(Transfer),
    Fill(Fill),
    Launch(Box<Launch>),
    Host(HostFunction),
    /// Memory whose address is known, and that is there from a launch to the free that follows.
    Allocate(u64),
    Free(u64),
    Record(usize),
    Wait(usize),
    /// The handle of the graph, a copy that belongs to the node.
    Child(usize),
    Conditional(Conditional),
}

impl Step {
    /// Its number in `CUgraphNodeType`, and a word for it.
    pub fn kind(&self) -> (u32, &'static str) {
        match self {
            Step::Launch(_) => (0, "KERNEL"),
            Step::Copy(_) => (1, "MEMCPY"),
            Step::Fill(_) => (2, "MEMSET"),
            Step::Host(_) => (3, "HOST"),
            Step::Child(_) => (4, "GRAPH"),
            Step::Empty => (5, "EMPTY"),
            Step::Wait(_) => (6, "WAIT_EVENT"),
            Step::Record(_) => (7, "EVENT_RECORD"),
            Step::Allocate(_) => (10, "MEM_ALLOC"),
            Step::Free(_) => (11, "MEM_FREE"),
            Step::Conditional(_) => (13, "CONDITIONAL"),
        }
    }

    /// Replaces what the node does by something of the same kind.
    pub fn replace(&mut self, step: Step) -> Outcome {
        refuse_if!(self.kind() != step.kind(), Cause::NoHandle("node of this kind"));
        *self = step;
        Ok(())
    }
}

/// The bodies of an executable graph's conditional nodes, at any depth, by the handles of their graphs.
pub type Bodies = FxHashMap<usize, Vec<Node>>;

#[derive(Clone)]
pub struct Graph {
    pub context: usize,
    pub nodes: Vec<Node>,
    /// User objects that it keeps alive, with how often.
    pub objects: Vec<(usize, u32)>,
    /// Values that conditional nodes ask for, of this graph and of their bodies.
    pub conditions: Vec<Condition>,
    /// The graph whose child or conditional body this is.
    pub parent: Option<usize>,
}

/// One node; a destroyed one stays as an empty place, so that indices hold.
#[derive(Clone)]
pub struct Node {
    pub step: Step,
    /// Indices of the nodes that come before.
    pub after: Vec<usize>,
    pub handle: usize,
    pub destroyed: bool,
    /// In an executable graph, a node that is not enabled does nothing.
    pub is_enabled: bool,
}

/// A graph that can be launched.
pub struct Executable {
    pub context: usize,
    pub nodes: Vec<Node>,
    pub objects: Vec<(usize, u32)>,
    pub conditions: Vec<Condition>,
    pub bodies: Arc<Bodies>,
    /// As it was made with.
    pub flags: u64,
    /// True if a launch frees what the one before left.
    pub frees_itself: bool,
    /// Its last launch: launches of one executable graph never overlap.
    pub last: Option<Seq>,
}

impl Graph {
    /// An empty graph.
    pub fn new(context: usize) -> Self {
        Graph { context, nodes: Vec::new(), objects: Vec::new(), conditions: Vec::new(), parent: None }
    }
    /// Adds a node after others and answers its index.
    pub fn add(&mut self, step: Step, after: Vec<usize>) -> usize {
        self.nodes.push(Node { step, after, handle: 0, destroyed: false, is_enabled: true });
        self.nodes.len() - 1
    }
    /// Nodes that no other waits for.
    pub fn leaves(&self) -> impl Iterator<Item = usize> {
        let waited: std::collections::HashSet<usize> =
            self.live().flat_map(|(_, node)| node.after.iter().copied()).collect();
        self.live().map(|(index, _)| index).filter(move |index| !waited.contains(index)).collect::<Vec<_>>().into_iter()
    }
    /// Refuses what CUDA allows no graph with conditional nodes.
    pub fn refuse_conditional(&self, what: &'static str) -> Outcome {
        let found = self.live().any(|(_, node)| matches!(node.step, Step::Conditional(_)));
        if found { Err(Cause::ConditionalGraph(what)) } else { Ok(()) }
    }
    /// Nodes that were not destroyed.
    pub fn live(&self) -> impl Iterator<Item = (usize, &Node)> {
        self.nodes.iter().enumerate().filter(|(_, node)| !node.destroyed)
    }
    /// Indices in an order that respects dependencies.
    fn sorted(&self) -> Result<Vec<usize>, Cause> {
        let mut order = Vec::new();
        let mut done = vec![false; self.nodes.len()];
        let live = self.live().count();
        while order.len() < live {
            let before = order.len();
            for (index, node) in self.live() {
                if !done[index] && node.after.iter().all(|&earlier| done[earlier] || self.nodes[earlier].destroyed) {
                    done[index] = true;
                    order.push(index);
                }
            }
            refuse_if!(order.len() == before, Cause::GraphCycle);
        }
        Ok(order)
    }
    /// One list of plain nodes: child graphs are put in the place of their nodes.
    pub fn flatten(&self, graphs: &Handles<Graph>) -> Result<Vec<Node>, Cause> {
        let mut flat: Vec<Node> = Vec::new();
        let mut ends: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for index in self.sorted()? {
            let node = &self.nodes[index];
            let after: Vec<usize> = node.after.iter().flat_map(|&earlier| ends[earlier].clone()).collect();
            if let Step::Child(child) = &node.step {
                let base = flat.len();
                let inner = graphs.get(*child)?.flatten(graphs)?;
                let waited: std::collections::HashSet<usize> =
                    inner.iter().flat_map(|node| node.after.iter().copied()).collect();
                ends[index] = (0..inner.len()).filter(|i| !waited.contains(i)).map(|i| base + i).collect();
                if inner.is_empty() {
                    ends[index] = after.clone();
                }
                flat.extend(inner.into_iter().map(|mut node| {
                    node.after = if node.after.is_empty() {
                        after.clone()
                    } else {
                        node.after.iter().map(|a| a + base).collect()
                    };
                    node
                }));
            } else {
                ends[index] = vec![flat.len()];
                flat.push(Node { after, ..node.clone() });
            }
        }
        Ok(flat)
    }
}
